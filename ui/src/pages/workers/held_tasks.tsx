// The tasks that a worker holds now, with the remaining time of their leases.
import { useCallback } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { Age, Id } from "../../parts/basics";
import { Link } from "../../parts/link";

export function HeldTasks({ workerId }: { workerId: string }) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) =>
      client.call("GET /v1/{ns}/tasks", { path: { ns }, query: { worker_id: workerId, limit: 20 }, signal }),
    [client, ns, workerId],
  );
  const held = useLoaded(load, 3000);
  const tasks = held.value?.items ?? [];
  if (tasks.length === 0) return <p className="muted">Idle</p>;
  return (
    <table className="plain small">
      <caption>
        {tasks.length}
        {held.value?.next_cursor ? "+" : ""} {tasks.length === 1 ? "active task" : "active tasks"}
      </caption>
      <thead>
        <tr>
          <th scope="col">Task</th>
          <th scope="col">Type</th>
          <th scope="col">Attempt</th>
          <th scope="col">Lease expires</th>
        </tr>
      </thead>
      <tbody>
        {tasks.map((task) => (
          <tr key={task.id}>
            <td>
              <Link page="tasks" id={task.id}>
                <Id id={task.id} />
              </Link>
            </td>
            <td>{task.type}</td>
            <td>{task.attempt}</td>
            <td>
              <Age at={task.lease?.expires_at ?? null} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
