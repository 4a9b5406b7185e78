// Goes back in time: shows the run as rebuilt from its events, after any of them.
import { ProblemBox } from "../../parts/basics";
import { StateMark } from "../../parts/state_mark";
import { formatClock } from "../../text/format";
import type { LoggedEvent } from "./run_events";
import type { Past } from "./use_past";

interface Props {
  events: LoggedEvent[];
  past: Past | null; // null: live
  onChange: (upTo: number | null) => void;
}

export function TimeSlider({ events, past, onChange }: Props) {
  const last = events.at(-1)?.sequence ?? 0;
  const at = past?.upTo ?? last;
  const event = events[at - 1];
  if (last === 0) return null;
  return (
    <section className={past === null ? "time-slider" : "time-slider past"} aria-label="Run history">
      <label htmlFor="up-to">{past === null ? "Latest" : "History"}</label>
      <input
        id="up-to"
        type="range"
        min={1}
        max={last}
        value={at}
        aria-valuetext={`event ${at} of ${last}${event ? `, ${event.type}` : ""}`}
        onChange={(change) => {
          const chosen = Number(change.target.value);
          onChange(chosen === last ? null : chosen);
        }}
      />
      <span className="slider-says">
        event {at} of {last} {event && <code>{event.type}</code>}{" "}
        {event && <span className="muted">{formatClock(event.at)}</span>}
      </span>
      {past !== null && (
        <>
          <Replayed past={past} />
          <button type="button" className="plain" onClick={() => onChange(null)}>
            Jump to latest
          </button>
        </>
      )}
    </section>
  );
}

function Replayed({ past }: { past: Past }) {
  if (past.problem) return <ProblemBox problem={past.problem} />;
  if (!past.run) return <span className="muted">Loading history…</span>;
  return (
    <span className="replayed" data-sequence={past.run.sequence}>
      <StateMark state={past.run.state} />
    </span>
  );
}
