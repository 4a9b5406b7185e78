// One group of dead letters: the error, the number of tasks, and a button that redrives all of them.
import { useRef, useState } from "react";
import type { Task } from "../../api/calls";
import { useConnection } from "../../api/context";
import { Age, Id } from "../../parts/basics";
import { ConfirmButton } from "../../parts/confirm_button";
import { Link } from "../../parts/link";
import { useNotices } from "../../parts/notices";
import { formatCount, plural } from "../../text/format";
import { runsOf, type DeadGroup } from "./dead_groups";
import { redriveTasks, retryRuns, type Redriven, type Redriving } from "./redrive";

const shownMax = 5;
const labelMax = 200;

interface Props {
  group: DeadGroup;
  isMore: boolean; // the page has not read all dead letters, so this group may be larger
  failedRuns: ReadonlySet<string> | null; // the runs that can be retried, if known
  onChange: () => void;
}

export function DeadGroupCard({ group, isMore, failedRuns, onChange }: Props) {
  const { client, ns } = useConnection();
  const { show, showError } = useNotices();
  const [done, setDone] = useState<number | null>(null);
  const stop = useRef(false);
  const known = (n: number) => `${formatCount(n)}${isMore ? "+" : ""}`;
  const allRuns = runsOf(group.tasks);
  const runs = allRuns.filter((id) => failedRuns?.has(id) ?? true).length;
  const orMore = isMore ? " or more" : "";
  const retryLabel = isMore ? `Retry ${known(runs)} runs` : `Retry ${plural(runs, "run")}`;
  const own = group.tasks.filter((task) => task.run_id === null).length;

  const redrive = async (how: (redriving: Redriving) => Promise<Redriven>, noun: string, after: string) => {
    stop.current = false;
    setDone(0);
    try {
      const { changed, refused } = await how({ client, ns, group, onProgress: setDone, isStopped: () => stop.current });
      const left = refused > 0 ? `; ${plural(refused, noun)} could not be retried in their current state` : "";
      show(`${plural(changed, noun)} ${after}${left}`);
    } catch (error) {
      showError(error);
    }
    setDone(null);
    onChange();
  };
  return (
    <section
      className="panel dead-group"
      aria-label={`${group.code} of ${group.type}: ${group.shape.slice(0, labelMax) || "no message"}`}
    >
      <header>
        <span className="count-badge">{known(group.tasks.length)}</span>
        <h2>
          {group.type} <span className="tone-bad">{group.code}</span>
        </h2>
        {done !== null ? (
          <>
            <progress value={done} max={Math.max(group.tasks.length, done)} aria-label="Progress" />
            <button type="button" className="plain" onClick={() => (stop.current = true)}>
              Stop at {formatCount(done)}
            </button>
          </>
        ) : (
          <>
            {own > 0 && (
              <ConfirmButton
                title={`Redrive ${group.type}`}
                consequences={`${plural(own, "task")}${orMore} of this group will be pending again, with their attempt limits reset. Workers can claim them immediately.`}
                confirm={`Redrive ${known(own)}`}
                action={async () => void redrive(redriveTasks, "task", `of ${group.type} redriven`)}
                kind="main"
              >
                Redrive all {known(own)}
              </ConfirmButton>
            )}
            {runs > 0 && (
              <ConfirmButton
                title={`Retry the runs of ${group.type}`}
                consequences={`${plural(runs, "run")}${orMore} will continue from the failed step and keep completed results. Runs that are not failed do not change.`}
                confirm={retryLabel}
                action={async () => void redrive(retryRuns, "run", "retried")}
                kind={own > 0 ? "plain" : "main"}
              >
                {retryLabel}
              </ConfirmButton>
            )}
          </>
        )}
      </header>
      <p className="shape-text">{group.shape || <span className="muted">no message</span>}</p>
      {allRuns.length > 0 && (
        <p className="muted">
          {own > 0 ? `${known(group.tasks.length - own)} of these tasks belong` : "These tasks belong"} to runs. To
          retry such a task, retry its run.
          {allRuns.length > runs &&
            ` ${plural(allRuns.length - runs, "run is", "runs are")} not failed and cannot be retried.`}
        </p>
      )}
      <Samples tasks={group.tasks} />
    </section>
  );
}

function Samples({ tasks }: { tasks: Task[] }) {
  return (
    <ul className="samples">
      {tasks.slice(0, shownMax).map((task) => (
        <li key={task.id}>
          <Link page="tasks" id={task.id}>
            <Id id={task.id} />
          </Link>{" "}
          {task.run_id && (
            <>
              of run{" "}
              <Link page="runs" id={task.run_id}>
                <Id id={task.run_id} />
              </Link>{" "}
            </>
          )}
          <Age at={task.finished_at} /> · {task.error?.message}
        </li>
      ))}
      {tasks.length > shownMax && <li className="muted">and {formatCount(tasks.length - shownMax)} more</li>}
    </ul>
  );
}
