// One group of dead letters: what happened, to how many, and putting them all back.
import { useRef, useState } from "react";
import type { Client } from "../../api/client";
import { useConnection } from "../../api/context";
import { Age, Id } from "../../parts/basics";
import { Link } from "../../parts/link";
import { useNotices } from "../../parts/notices";
import { formatCount, plural } from "../../text/format";
import type { DeadGroup } from "./dead_groups";

const shownMax = 5;
const atOnce = 6; // as many as a browser sends to one server anyway

export function DeadGroupCard({ group, onChange }: { group: DeadGroup; onChange: () => void }) {
  const { client, ns } = useConnection();
  const { say, complain } = useNotices();
  const [done, setDone] = useState<number | null>(null);
  const stop = useRef(false);
  const redrive = async () => {
    stop.current = false;
    setDone(0);
    try {
      const ids = group.tasks.map((task) => task.id);
      const count = await retryAll(client, ns, ids, (n) => setDone(n), () => stop.current);
      say(`${plural(count, "task")} of ${group.type} are pending again`);
    } catch (error) {
      complain(error);
    }
    setDone(null);
    onChange();
  };
  return (
    <section className="panel dead-group" aria-label={`${group.code} of ${group.type}`}>
      <header>
        <span className="count-badge">{formatCount(group.tasks.length)}</span>
        <h2>
          {group.type} <span className="tone-bad">{group.code}</span>
        </h2>
        {done === null ? (
          <button type="button" className="main" onClick={redrive}>
            Redrive all {formatCount(group.tasks.length)}
          </button>
        ) : (
          <>
            <progress value={done} max={group.tasks.length} aria-label="Redriven" />
            <button type="button" className="plain" onClick={() => (stop.current = true)}>
              Stop at {formatCount(done)}
            </button>
          </>
        )}
      </header>
      <p className="shape-text">{group.shape || <span className="muted">no message</span>}</p>
      <ul className="samples">
        {group.tasks.slice(0, shownMax).map((task) => (
          <li key={task.id}>
            <Link page="tasks" id={task.id}>
              <Id id={task.id} />
            </Link>{" "}
            <Age at={task.finished_at} /> · {task.error?.message}
          </li>
        ))}
        {group.tasks.length > shownMax && <li className="muted">and {formatCount(group.tasks.length - shownMax)} more</li>}
      </ul>
    </section>
  );
}

// One by one, since a filter knows no fingerprint. One that somebody else has put back already is not counted.
async function retryAll(client: Client, ns: string, ids: string[], onProgress: (n: number) => void, isStopped: () => boolean): Promise<number> {
  let next = 0;
  let changed = 0;
  const lane = async () => {
    for (let id = ids[next++]; id !== undefined && !isStopped(); id = ids[next++]) {
      try {
        await client.call("POST /v1/{ns}/tasks/{id}/retry", { path: { ns, id } });
        changed += 1;
      } catch (error) {
        if ((error as { status?: number }).status !== 409) throw error;
      }
      onProgress(changed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return changed;
}
