// The list of workflows, with their latest versions.
import { useCallback } from "react";
import type { DefinitionRow } from "../../api/calls";
import { useConnection } from "../../api/context";
import { usePages } from "../../live/use_pages";
import { Age, Command, Empty } from "../../parts/basics";
import { Link } from "../../parts/link";
import { PagedTable } from "../../parts/paged_table";
import type { Column } from "../../parts/table";
import { goTo, placeOf, type Route } from "../../route/route";

const columns: Column<DefinitionRow & { id: string }>[] = [
  {
    name: "Workflow",
    width: "minmax(100px, 2fr)",
    cell: (row) => (
      <Link page="definitions" id={row.name}>
        {row.name}
      </Link>
    ),
  },
  { name: "Latest", width: "minmax(44px, 70px)", cell: (row) => `v${row.version}` },
  { name: "Applied", width: "minmax(72px, 120px)", cell: (row) => <Age at={row.created_at} /> },
  {
    name: "Runs",
    width: "minmax(60px, 90px)",
    cell: (row) => (
      <Link page="runs" query={{ workflow: row.name }}>
        View runs
      </Link>
    ),
  },
  {
    name: "Hash",
    width: "minmax(120px, 1fr)",
    cell: (row) => <code className="muted">{row.hash}</code>,
    isSecondary: true,
  },
];

export function DefinitionsPage({ route }: { route: Route }) {
  const { client, ns } = useConnection();
  const place = placeOf(route);
  const load = useCallback(
    async (cursor: string, signal: AbortSignal) => {
      const page = await client.call("GET /v1/{ns}/definitions", {
        path: { ns },
        query: { limit: 100, cursor },
        signal,
      });
      return { ...page, items: page.items.map((row) => ({ ...row, id: row.name })) };
    },
    [client, ns],
  );
  const definitions = usePages(load, { everyMs: 10_000, place });
  return (
    <div className="page-with-table">
      <h1>Definitions</h1>
      <PagedTable
        label="Definitions"
        columns={columns}
        pages={definitions}
        place={place}
        empty={
          <Empty title="No workflows yet">
            <p>A definition lists the tasks of a workflow and their order:</p>
            <Command>{`cat > hello.yaml <<'END'
name: hello
tasks:
  - {id: greet, activity: example.greet}
  - {id: thank, activity: example.greet, after: [greet]}
END
pawl workflow apply hello.yaml`}</Command>
          </Empty>
        }
        onOpen={(row) => goTo({ ns, page: "definitions", id: row.name })}
      />
    </div>
  );
}
