// All runs, by filter.
import { useCallback, useEffect, useMemo } from "react";
import type { Run } from "../../api/calls";
import { runStates } from "../../api/types";
import { useConnection } from "../../api/context";
import { usePages } from "../../live/use_pages";
import { Age, Command, Empty, Id, Labels } from "../../parts/basics";
import { BulkButtons } from "../../parts/bulk_buttons";
import { FilterBar } from "../../parts/filter_bar";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";
import { PagedTable } from "../../parts/paged_table";
import type { Column } from "../../parts/table";
import { goTo, placeOf, replaceQuery, type Route } from "../../route/route";
import { formatMs, plural } from "../../text/format";
import { bulkOfRuns, filterFrom, hasText, loadRuns } from "./run_filter";
import { searchBatch, useTextSearch } from "./use_text_search";

const fields = [
  { name: "workflow", label: "Workflow" },
  { name: "run_key", label: "Key" },
  { name: "label", label: "Label", hint: "name:value" },
  { name: "parent", label: "Parent" },
  { name: "created_after", label: "Created after" },
  { name: "created_before", label: "Created before" },
  { name: "text", label: "Text", hint: "in any column" },
];
const states = { name: "state", values: runStates };

const columns: Column<Run>[] = [
  {
    name: "State",
    width: "minmax(118px, 176px)",
    cell: (run) => <StateMark state={run.retrying ? "retrying" : run.state} />,
  },
  {
    name: "Workflow",
    width: "minmax(80px, 1.4fr)",
    cell: (run) => (
      <Link page="runs" id={run.id}>
        {run.workflow}
      </Link>
    ),
  },
  { name: "Key", width: "minmax(80px, 1fr)", cell: (run) => run.run_key ?? "", isSecondary: true },
  { name: "ID", width: "130px", cell: (run) => <Id id={run.id} />, isSecondary: true },
  { name: "Tasks", width: "46px", cell: progressOf, isNumber: true },
  { name: "Labels", width: "minmax(60px, 1fr)", cell: (run) => <Labels labels={run.labels} />, isSecondary: true },
  {
    name: "Error",
    width: "minmax(80px, 1.6fr)",
    cell: (run) => run.error?.message || run.error?.code || "",
    isSecondary: true,
  },
  { name: "Duration", width: "80px", cell: tookOf, isSecondary: true },
  { name: "Created", width: "minmax(80px, 110px)", cell: (run) => <Age at={run.created_at} /> },
];

function progressOf(run: Run): string {
  const all = Object.values(run.counts).reduce((sum, n) => sum + n, 0);
  return `${(run.counts["completed"] ?? 0) + (run.counts["skipped"] ?? 0)}/${all}`;
}

function tookOf(run: Run): string {
  return run.finished_at ? formatMs(Date.parse(run.finished_at) - Date.parse(run.created_at)) : "";
}

export function RunsPage({ route }: { route: Route }) {
  const { client, ns } = useConnection();
  const query = route.query.toString();
  const filter = useMemo(() => filterFrom(new URLSearchParams(query)), [query]);
  const load = useCallback(
    (cursor: string, signal: AbortSignal) => loadRuns(client, ns, filter, cursor, signal),
    [client, ns, filter],
  );
  const place = placeOf(route);
  const runs = usePages(load, { everyMs: 3000, place });
  const shown = useMemo(() => runs.items.filter((run) => hasText(run, filter.text)), [runs.items, filter.text]);
  const search = useTextSearch(runs, filter.text, shown.length);
  useRetryingAlone(route);
  // The server cannot act on a filter that only this page applies.
  const isTextFiltered = filter.text !== "";
  const notPossible = isTextFiltered ? "Clear the text filter first: only this page applies it" : "";
  return (
    <div className="page-with-table">
      <header className="page-head">
        <h1>Runs</h1>
        <BulkButtons
          bulkOf={(verb) => bulkOfRuns(client, ns, verb, filter)}
          onDone={runs.reload}
          notPossible={notPossible}
        />
      </header>
      <FilterBar route={route} states={states} only="retrying" fields={fields} />
      {isTextFiltered && (
        <p className="searched" role="status">
          {searchedInWords(runs.items.length, shown.length, runs.hasMore, search.isOn)}{" "}
          {runs.hasMore && !search.isOn && (
            <button type="button" className="plain" onClick={search.searchMore}>
              Search {plural(searchBatch, "more run", "more")}
            </button>
          )}
        </p>
      )}
      <PagedTable
        label="Runs"
        columns={columns}
        pages={runs}
        rows={shown}
        place={place}
        empty={
          query === "" ? (
            <NoRuns />
          ) : (
            <Empty title={runs.hasMore ? "No matches in the searched runs" : "No runs match these filters"} />
          )
        }
        isSearching={search.isOn}
        onEnd={isTextFiltered ? search.wantMore : runs.loadMore}
        onOpen={(run) => goTo({ ns, page: "runs", id: run.id })}
      />
    </div>
  );
}

function NoRuns() {
  return (
    <Empty title="No runs yet">
      <p>A run is one execution of a workflow. Apply a definition and start a run:</p>
      <Command>{`pawl workflow apply order.yaml
pawl run start order-fulfillment '{"total": 42}'`}</Command>
    </Empty>
  );
}

function searchedInWords(searched: number, found: number, isMore: boolean, isOn: boolean): string {
  const newest = isMore ? "the newest " : "all ";
  return `${isOn ? "Searching…" : "Searched"} ${newest}${plural(searched, "run")} that match the other filters: ${plural(found, "contains", "contain")} the text.`;
}

// Converts old addresses in which retrying is one of the states to the separate filter.
function useRetryingAlone(route: Route): void {
  useEffect(() => {
    const query = Object.fromEntries(route.query);
    const states = (query["state"] ?? "").split(",");
    if (!states.includes("retrying")) return;
    replaceQuery(route, {
      ...query,
      state: states.filter((state) => state !== "retrying").join(","),
      retrying: "true",
    });
  }, [route]);
}
