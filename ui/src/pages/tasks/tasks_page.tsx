// All tasks, by filter.
import { useCallback, useMemo } from "react";
import type { Task } from "../../api/calls";
import { taskStatuses } from "../../api/types";
import { useConnection } from "../../api/context";
import { usePages } from "../../live/use_pages";
import { Age, Command, Empty, Id } from "../../parts/basics";
import { BulkButtons } from "../../parts/bulk_buttons";
import { FilterBar } from "../../parts/filter_bar";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";
import { PagedTable } from "../../parts/paged_table";
import type { Column } from "../../parts/table";
import { goTo, placeOf, type Route } from "../../route/route";
import { attemptsInWords } from "../../text/format";
import { bulkOfTasks } from "./bulk_of_tasks";

const fields = [
  { name: "type", label: "Type" },
  { name: "queue", label: "Queue" },
  { name: "key", label: "Key" },
  { name: "label", label: "Label", hint: "name:value" },
  { name: "run_id", label: "Run" },
  { name: "created_after", label: "Created after" },
  { name: "created_before", label: "Created before" },
];

const columns: Column<Task>[] = [
  { name: "Status", width: "minmax(98px, 128px)", cell: (task) => <StateMark state={shownStatus(task)} /> },
  {
    name: "Type",
    width: "minmax(80px, 1.4fr)",
    cell: (task) => (
      <Link page="tasks" id={task.id}>
        {task.type}
      </Link>
    ),
  },
  { name: "ID", width: "130px", cell: (task) => <Id id={task.id} />, isSecondary: true },
  { name: "Queue", width: "minmax(70px, 0.6fr)", cell: (task) => task.queue, isSecondary: true },
  { name: "Key", width: "minmax(70px, 0.8fr)", cell: (task) => task.key ?? "", isSecondary: true },
  {
    name: "Try",
    width: "46px",
    cell: (task) => attemptsInWords(task.attempt, task.retry.max_attempts, { of: "/", any: "∞" }),
    isNumber: true,
  },
  {
    name: "Error",
    width: "minmax(90px, 2fr)",
    cell: (task) => task.error?.message || task.error?.code || "",
    isSecondary: true,
  },
  { name: "Created", width: "minmax(84px, 110px)", cell: (task) => <Age at={task.created_at} /> },
];

// Distinguishes a task that waits after a failed attempt from one that never ran.
export function shownStatus(task: Task): string {
  return task.status === "pending" && task.attempt > 0 ? "retrying" : task.status;
}

export function TasksPage({ route }: { route: Route }) {
  const { client, ns } = useConnection();
  const filterText = route.query.toString();
  const filter = useMemo(() => Object.fromEntries(new URLSearchParams(filterText)), [filterText]);
  const load = useCallback(
    (cursor: string, signal: AbortSignal) =>
      client.call("GET /v1/{ns}/tasks", { path: { ns }, query: { ...filter, limit: 100, cursor }, signal }),
    [client, ns, filter],
  );
  const place = placeOf(route);
  const tasks = usePages(load, { everyMs: 3000, place });
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div className="page-with-table">
      <header className="page-head">
        <h1>Tasks</h1>
        <BulkButtons bulkOf={(verb) => bulkOfTasks(client, ns, verb, filter)} onDone={tasks.reload} />
      </header>
      <FilterBar route={route} states={{ name: "status", values: taskStatuses }} fields={fields} />
      <PagedTable
        label="Tasks"
        columns={columns}
        pages={tasks}
        place={place}
        empty={
          <Empty title={isFiltered ? "No tasks match these filters" : "No tasks yet"}>
            {!isFiltered && <Command>{`pawl task enqueue email.send '{"to":"ada@example.org"}'`}</Command>}
          </Empty>
        }
        onOpen={(task) => goTo({ ns, page: "tasks", id: task.id })}
      />
    </div>
  );
}
