// The list of schedules, with their timing and jobs.
import { useCallback, useState } from "react";
import type { Schedule } from "../../api/calls";
import { useConnection } from "../../api/context";
import { usePages } from "../../live/use_pages";
import { Age, Command, Empty } from "../../parts/basics";
import { Link } from "../../parts/link";
import { useNotices } from "../../parts/notices";
import { StateMark } from "../../parts/state_mark";
import { PagedTable } from "../../parts/paged_table";
import type { Column } from "../../parts/table";
import { goTo, placeOf, type Route } from "../../route/route";
import { LastFiring } from "./last_firing";
import { ScheduleForm } from "./schedule_form";
import { scheduleState, timingInWords } from "./schedule_words";

const columns: Column<Schedule>[] = [
  { name: "State", width: "74px", cell: (schedule) => <StateMark state={scheduleState(schedule)} /> },
  {
    name: "Schedule",
    width: "minmax(90px, 1fr)",
    cell: (schedule) => (
      <Link page="schedules" id={schedule.name}>
        {schedule.name}
      </Link>
    ),
  },
  {
    name: "Timing",
    width: "minmax(100px, 3fr)",
    cell: (schedule) => (
      <span title={`${timingInWords(schedule)}: ${schedule.cron ?? schedule.every}`}>{timingInWords(schedule)}</span>
    ),
    isSecondary: true,
  },
  {
    name: "Time zone",
    width: "minmax(60px, 126px)",
    cell: (schedule) => (schedule.cron === null ? "" : schedule.timezone),
    isSecondary: true,
  },
  {
    name: "Target",
    width: "minmax(90px, 1.3fr)",
    cell: (schedule) => <Target schedule={schedule} />,
    isSecondary: true,
  },
  { name: "Next", width: "minmax(66px, 96px)", cell: (schedule) => <Age at={schedule.next_fire_at} /> },
  {
    name: "Last",
    width: "minmax(84px, 150px)",
    cell: (schedule) => <LastFiring name={schedule.name} at={schedule.last_fired_at} next={schedule.next_fire_at} />,
  },
];

export function Target({ schedule }: { schedule: Schedule }) {
  if (schedule.workflow !== null)
    return (
      <Link page="definitions" id={schedule.workflow}>
        {schedule.workflow}
      </Link>
    );
  const type = schedule.task?.type ?? "";
  return (
    <>
      task{" "}
      <Link page="tasks" query={{ type }}>
        {type}
      </Link>
    </>
  );
}

export function SchedulesPage({ route }: { route: Route }) {
  const { client, ns } = useConnection();
  const { show } = useNotices();
  const [isCreating, setCreating] = useState(false);
  const load = useCallback(
    (cursor: string, signal: AbortSignal) =>
      client.call("GET /v1/{ns}/schedules", { path: { ns }, query: { limit: 100, cursor }, signal }),
    [client, ns],
  );
  const place = placeOf(route);
  const schedules = usePages(load, { everyMs: 3000, place });
  return (
    <div className="page-with-table">
      <header className="page-head">
        <h1>Schedules</h1>
        <button type="button" className="main" onClick={() => setCreating(true)}>
          New schedule…
        </button>
      </header>
      <PagedTable
        label="Schedules"
        columns={columns}
        pages={schedules}
        place={place}
        empty={
          <Empty title="No schedules yet">
            <p>A schedule starts a workflow or a task by a cron expression in a time zone, or at a fixed interval:</p>
            <Command>{`pawl schedule create nightly --cron '0 3 * * *' --timezone Europe/Berlin --workflow nightly-report
pawl schedule create heartbeat --every 10s --task probe --input '{"host":"db1"}'`}</Command>
          </Empty>
        }
        onOpen={(schedule) => goTo({ ns, page: "schedules", id: schedule.name })}
      />
      {isCreating && (
        <ScheduleForm
          before={null}
          onClose={() => setCreating(false)}
          onSaved={(schedule) => {
            show(`Schedule ${schedule.name} created`);
            goTo({ ns, page: "schedules", id: schedule.name });
          }}
        />
      )}
    </div>
  );
}
