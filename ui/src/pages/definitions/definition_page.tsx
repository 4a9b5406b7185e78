// One workflow: any of its versions as a graph and as text, and the differences between two versions.
import { useCallback, useMemo, useState } from "react";
import type { Definition } from "../../api/calls";
import { useConnection } from "../../api/context";
import { graphOf } from "../../api/types";
import { FlowGraph } from "../../graph/flow_graph";
import { edgesOf, nodesOf, undoneByOf } from "../../graph/definition_graph";
import { useLoaded } from "../../live/use_loaded";
import { AgeFact, Fact, Facts, NotLoaded, ProblemBox } from "../../parts/basics";
import { JsonView } from "../../parts/json_view";
import { Link } from "../../parts/link";
import { Tabs } from "../../parts/tabs";
import { replaceQuery, type Route } from "../../route/route";
import { fieldText } from "../../text/json_text";
import { Difference } from "./difference";
import { StartDialog } from "./start_dialog";
import { VersionField } from "./version_field";

export function DefinitionPage({ name, route }: { name: string; route: Route }) {
  const { client, ns } = useConnection();
  const [isStarting, setStarting] = useState(false);
  const loadLatest = useCallback(
    (signal: AbortSignal) => client.call("GET /v1/{ns}/definitions/{name}", { path: { ns, name }, signal }),
    [client, ns, name],
  );
  const latest = useLoaded(loadLatest, 10_000);
  const newest = latest.value?.version ?? 0;
  const version = Number(route.query.get("version")) || newest;
  const against = Number(route.query.get("against")) || Math.max(1, version - 1);
  const shown = useVersion(name, version);
  const other = useVersion(name, against);
  const tasks = useMemo(() => (shown.value ? graphOf(shown.value.value).tasks : []), [shown.value]);
  const nodes = useMemo(() => nodesOf(tasks), [tasks]);
  const edges = useMemo(() => edgesOf(tasks), [tasks]);
  const undoneBy = useMemo(() => undoneByOf(tasks), [tasks]);
  const choose = (next: Record<string, string>) => replaceQuery(route, { ...Object.fromEntries(route.query), ...next });

  if (!latest.value) return <NotLoaded problem={latest.problem} />;
  const definition = shown.value?.value;
  const text = fieldText(shown.value?.text ?? "", "definition");
  return (
    <>
      <header className="page-head">
        <h1>
          <span className="muted">Workflow</span> {name}
        </h1>
        <VersionField
          label="Version"
          newest={newest}
          value={version}
          onChange={(n) => choose({ version: String(n) })}
        />
        <Link page="runs" query={{ workflow: name }}>
          View runs
        </Link>
        <button type="button" className="main" disabled={shown.problem !== null} onClick={() => setStarting(true)}>
          Start a run…
        </button>
      </header>
      <ProblemBox problem={shown.problem ?? other.problem ?? latest.problem} />
      {definition && <DefinitionFacts definition={definition} />}
      <Tabs
        label="Views of the definition"
        tabs={[
          {
            name: "Graph",
            view: (
              <FlowGraph key={version} label="Graph of the workflow" nodes={nodes} edges={edges} undoneBy={undoneBy} />
            ),
          },
          { name: "Text", view: <JsonView text={text} name="definition" /> },
          {
            name: "Difference",
            view: (
              <>
                <VersionField
                  label={`Compare version ${version} with`}
                  newest={newest}
                  value={against}
                  onChange={(n) => choose({ against: String(n) })}
                />
                <Difference before={fieldText(other.value?.text ?? "", "definition")} after={text} />
              </>
            ),
          },
        ]}
      />
      {isStarting && <StartDialog workflow={name} version={version} onClose={() => setStarting(false)} />}
    </>
  );
}

function DefinitionFacts({ definition }: { definition: Definition }) {
  const { tasks, on_failure, deadline } = graphOf(definition);
  return (
    <Facts>
      <AgeFact name="Applied" at={definition.created_at} />
      <Fact name="Tasks">{tasks.length}</Fact>
      <Fact name="On failure">{on_failure ?? (undoneByOf(tasks).size > 0 ? "compensate" : "fail")}</Fact>
      {deadline && <Fact name="Deadline">{deadline}</Fact>}
      <Fact name="Hash">
        <code>{definition.hash}</code>
      </Fact>
    </Facts>
  );
}

function useVersion(name: string, version: number) {
  const { client, ns } = useConnection();
  const load = useCallback(
    async (signal: AbortSignal) =>
      version === 0
        ? null
        : client.callForText("GET /v1/{ns}/definitions/{name}/versions/{version}", {
            path: { ns, name, version: String(version) },
            signal,
          }),
    [client, ns, name, version],
  );
  return useLoaded(load);
}
