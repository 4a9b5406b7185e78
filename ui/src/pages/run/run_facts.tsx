// The facts of a run, in its current or a past state.
import type { Run } from "../../api/calls";
import { Age, AgeFact, Fact, Facts, Id } from "../../parts/basics";
import { Link } from "../../parts/link";
import { inWords } from "../../text/format";
import { RunChildren } from "./run_children";

interface Props {
  run: Run;
  isPast: boolean;
  isClosed: boolean;
  rewoundFrom: string | null;
  round: number; // a change reloads the children
}

export function RunFacts({ run, isPast, isClosed, rewoundFrom, round }: Props) {
  return (
    <Facts>
      <Fact name="ID">
        <Id id={run.id} whole />
      </Fact>
      {run.run_key && <Fact name="Key">{run.run_key}</Fact>}
      {run.custom_status && <Fact name="Status">{run.custom_status}</Fact>}
      {run.parent && (
        <Fact name="Parent">
          <Link page="runs" id={run.parent.run_id}>
            <Id id={run.parent.run_id} />
          </Link>{" "}
          {run.parent.node_id}
        </Fact>
      )}
      {rewoundFrom && <OtherRun name="Rewound from" id={rewoundFrom} />}
      {run.continued_from && <OtherRun name="Continued from" id={run.continued_from} />}
      {run.continued_as && <OtherRun name="Continued as" id={run.continued_as} />}
      <AgeFact name="Created" at={run.created_at} />
      <AgeFact name="Finished" at={run.finished_at} />
      <AgeFact name="Wakes" at={run.wake_at} />
      {run.deadline_at && (
        <Fact name="Deadline">
          {isClosed || isPast ? (
            <time dateTime={run.deadline_at}>{momentOf(run.deadline_at)}</time>
          ) : (
            <Age at={run.deadline_at} />
          )}
        </Fact>
      )}
      <Fact name="Tasks">{countsInWords(run)}</Fact>
      <RunChildren id={run.id} round={round} isNow={isPast} />
    </Facts>
  );
}

function OtherRun({ name, id }: { name: string; id: string }) {
  return (
    <Fact name={name}>
      <Link page="runs" id={id}>
        <Id id={id} />
      </Link>
    </Fact>
  );
}

// An absolute time: for an ended run, "in 55 minutes" would suggest that something is still to come.
function momentOf(time: string): string {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

function countsInWords(run: Run): string {
  const counts = Object.entries(run.counts).filter(([, n]) => n > 0);
  return counts.map(([state, n]) => `${n} ${inWords(state)}`).join(", ") || "none";
}
