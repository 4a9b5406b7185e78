// One group of dead letters: what happened, to how many, and putting them all back.
import { useRef, useState } from "react";
import { useConnection } from "../../api/context";
import { Age, Id } from "../../parts/basics";
import { Link } from "../../parts/link";
import { useNotices } from "../../parts/notices";
import { formatCount, plural } from "../../text/format";
import type { DeadGroup } from "./dead_groups";
import { redriveGroup } from "./redrive";

const shownMax = 5;

interface Props {
  group: DeadGroup;
  isMore: boolean; // there are more dead letters than the page has read, perhaps of this group
  onChange: () => void;
}

export function DeadGroupCard({ group, isMore, onChange }: Props) {
  const { client, ns } = useConnection();
  const { say, complain } = useNotices();
  const [done, setDone] = useState<number | null>(null);
  const stop = useRef(false);
  const known = `${formatCount(group.tasks.length)}${isMore ? "+" : ""}`;
  const redrive = async () => {
    stop.current = false;
    setDone(0);
    try {
      const count = await redriveGroup(client, ns, group, { onProgress: setDone, isStopped: () => stop.current });
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
        <span className="count-badge">{known}</span>
        <h2>
          {group.type} <span className="tone-bad">{group.code}</span>
        </h2>
        {done === null ? (
          <button type="button" className="main" onClick={redrive}>
            Redrive all {known}
          </button>
        ) : (
          <>
            <progress value={done} max={Math.max(group.tasks.length, done)} aria-label="Redriven" />
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
