// One schedule: its timing, its job, its last and next slots, and its actions.
import { useCallback, useMemo, useState } from "react";
import type { Schedule } from "../../api/calls";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { usePages } from "../../live/use_pages";
import { ActionButton } from "../../parts/action_button";
import { Age, AgeFact, Fact, Facts, NotLoaded, ProblemBox } from "../../parts/basics";
import { JsonView } from "../../parts/json_view";
import { StateMark } from "../../parts/state_mark";
import { plural } from "../../text/format";
import { fieldText } from "../../text/json_text";
import { BackfillDialog } from "./backfill_dialog";
import { CalendarStrip } from "./calendar_strip";
import { Firings, type FiringRow } from "./firings";
import { DeleteDialog } from "./delete_dialog";
import { draftOf } from "./schedule_draft";
import { ScheduleForm } from "./schedule_form";
import { foldMeans, gapMeans, overlapMeans, scheduleState, timingInWords } from "./schedule_words";
import { Target } from "./schedules_page";
import { TriggerDialog } from "./trigger_dialog";

const nextCount = 200; // enough to fill the strip with any cell size
const refreshMs = 2000;

export function SchedulePage({ name }: { name: string }) {
  const { client, ns } = useConnection();
  const [open, setOpen] = useState<"trigger" | "backfill" | "change" | "delete" | null>(null);
  const path = useMemo(() => ({ ns, id: name }), [ns, name]);
  const loaded = useLoaded(
    useCallback(
      (signal: AbortSignal) => client.callForText("GET /v1/{ns}/schedules/{id}", { path, signal }),
      [client, path],
    ),
    refreshMs,
  );
  const next = useLoaded(
    useCallback(
      (signal: AbortSignal) =>
        client.call("GET /v1/{ns}/schedules/{id}/next", { path, query: { count: nextCount }, signal }),
      [client, path],
    ),
    refreshMs,
  );
  const firings = usePages<FiringRow>(
    useCallback(
      async (cursor: string, signal: AbortSignal) => {
        const page = await client.call("GET /v1/{ns}/schedules/{id}/firings", {
          path,
          query: { limit: 200, cursor },
          signal,
        });
        return { ...page, items: page.items.map((firing) => ({ ...firing, id: firing.fire_at })) };
      },
      [client, path],
    ),
    { everyMs: refreshMs },
  );
  const schedule = loaded.value?.value;
  const text = loaded.value?.text ?? "";
  if (!schedule) return <NotLoaded problem={loaded.problem} />;

  const reload = () => {
    loaded.reload();
    next.reload();
    firings.reload();
  };
  const close = () => {
    setOpen(null);
    reload();
  };
  const setEnabled = async (isEnabled: boolean) => {
    await client.call(`POST /v1/{ns}/schedules/{id}/${isEnabled ? "resume" : "pause"}`, { path });
    reload();
    return isEnabled
      ? `Schedule ${name} resumed; slots during the pause are skipped`
      : `Schedule ${name} paused: its slots are skipped`;
  };
  return (
    <>
      <header className="page-head">
        <h1>
          <span className="muted">Schedule</span> {name}
        </h1>
        <StateMark state={scheduleState(schedule)} />
        <button type="button" className="main" onClick={() => setOpen("trigger")}>
          Trigger…
        </button>
        <button type="button" className="plain" onClick={() => setOpen("backfill")}>
          Backfill…
        </button>
        <ActionButton action={() => setEnabled(!schedule.enabled)}>
          {schedule.enabled ? "Pause" : "Resume"}
        </ActionButton>
        <button type="button" className="plain" onClick={() => setOpen("change")}>
          Edit…
        </button>
        <button type="button" className="danger" onClick={() => setOpen("delete")}>
          Delete…
        </button>
      </header>
      <ProblemBox problem={loaded.problem} />
      <Timing schedule={schedule} />
      <section className="panel" aria-label="Last and next slots">
        <CalendarStrip
          firings={firings.items}
          next={schedule.enabled ? (next.value?.times ?? []) : []}
          zone={schedule.timezone}
        />
        {!schedule.enabled && <p className="muted">Paused: upcoming slots are skipped.</p>}
      </section>
      <ScheduleFacts schedule={schedule} />
      <ProblemBox problem={firings.problem} />
      <Firings firings={firings} zone={schedule.timezone} />
      <TargetInput schedule={schedule} text={text} />
      {open === "trigger" && <TriggerDialog schedule={schedule} text={text} onClose={close} />}
      {open === "backfill" && <BackfillDialog schedule={schedule} onClose={close} />}
      {open === "change" && <ScheduleForm before={draftOf(schedule, text)} onClose={close} onSaved={close} />}
      {open === "delete" && <DeleteDialog name={name} onClose={close} />}
    </>
  );
}

function Timing({ schedule }: { schedule: Schedule }) {
  return (
    <p className="timing">
      {timingInWords(schedule)}
      {schedule.cron !== null && <span className="muted">, {schedule.timezone} time</span>}{" "}
      <code>{schedule.cron ?? schedule.every}</code>
    </p>
  );
}

// `text` is the response that contains the schedule.
function TargetInput({ schedule, text }: { schedule: Schedule; text: string }) {
  const name = schedule.workflow === null ? "task" : "input";
  return (
    <section className="panel">
      <h2>{name === "task" ? "Task" : "Input"}</h2>
      <JsonView text={fieldText(text, name)} name={name} />
    </section>
  );
}

function ScheduleFacts({ schedule }: { schedule: Schedule }) {
  return (
    <Facts>
      <Fact name="Target">
        <Target schedule={schedule} />
      </Fact>
      <Fact name="Next slot">
        <Age at={schedule.next_fire_at} />
      </Fact>
      <Fact name="Last fired">
        <Age at={schedule.last_fired_at} />
      </Fact>
      <Fact name="If the previous run is still active">{overlapMeans[schedule.overlap]}</Fact>
      <Fact name="Catch-up limit">{schedule.max_catchup === 0 ? "none" : plural(schedule.max_catchup, "slot")}</Fact>
      {schedule.cron !== null && (
        <Fact name="Clock changes">
          skipped times {gapMeans[schedule.dst.gap]}; repeated times {foldMeans[schedule.dst.fold]}
        </Fact>
      )}
      {schedule.jitter !== "0s" && <Fact name="Jitter">up to {schedule.jitter}</Fact>}
      {schedule.queue && <Fact name="Queue">{schedule.queue}</Fact>}
      <AgeFact name="Start time" at={schedule.start_at} />
      <AgeFact name="End time" at={schedule.end_at} />
      <Fact name="Created">
        <Age at={schedule.created_at} />
      </Fact>
    </Facts>
  );
}
