// The fired and skipped slots of a schedule, the latest first, with their outcomes.
import type { Firing } from "../../api/calls";
import type { Pages } from "../../live/use_pages";
import { Age, Id } from "../../parts/basics";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";
import { Table, type Column } from "../../parts/table";
import { zonedTime } from "../../text/calendar";

export type FiringRow = Firing & { id: string };

function columnsIn(zone: string): Column<FiringRow>[] {
  return [
    { name: "Slot", width: "minmax(92px, 170px)", cell: (firing) => <SlotTime firing={firing} zone={zone} /> },
    { name: "Status", width: "minmax(76px, 90px)", cell: (firing) => <StateMark state={firing.status} /> },
    { name: "Origin", width: "80px", cell: (firing) => firing.origin, isSecondary: true },
    { name: "Outcome", width: "minmax(140px, 2fr)", cell: (firing) => <Outcome firing={firing} /> },
    { name: "Updated", width: "110px", cell: (firing) => <Age at={firing.updated_at} />, isSecondary: true },
  ];
}

function SlotTime({ firing, zone }: { firing: Firing; zone: string }) {
  const until = firing.until ? ` to ${zonedTime(Date.parse(firing.until), zone)}` : "";
  return (
    <time dateTime={firing.fire_at} title={`${firing.fire_at}${until}`}>
      {zonedTime(Date.parse(firing.fire_at), zone)}
      {firing.until && " …"}
    </time>
  );
}

function Outcome({ firing: { run_id, task_id, reason } }: { firing: Firing }) {
  return (
    <span title={reason ?? ""}>
      {run_id && (
        <>
          run{" "}
          <Link page="runs" id={run_id}>
            <Id id={run_id} />
          </Link>{" "}
        </>
      )}
      {task_id && (
        <>
          task{" "}
          <Link page="tasks" id={task_id}>
            <Id id={task_id} />
          </Link>{" "}
        </>
      )}
      {reason}
    </span>
  );
}

export function Firings({ firings, zone }: { firings: Pages<FiringRow>; zone: string }) {
  return (
    <section className="panel firings" aria-label="Firing history">
      <h2>Firing history</h2>
      {firings.items.length === 0 && !firings.isLoading ? (
        <p className="muted">Hasn’t run yet. Firings are kept for 30 days.</p>
      ) : (
        <Table
          label="Firings"
          columns={columnsIn(zone)}
          rows={firings.items}
          keyOf={(firing) => firing.id}
          hasMore={firings.hasMore}
          onEnd={firings.loadMore}
          onVisible={firings.look}
        />
      )}
    </section>
  );
}
