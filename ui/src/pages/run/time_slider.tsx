// Back in time: the run as its events alone rebuild it, after any of them.
import { useCallback } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { ProblemBox } from "../../parts/basics";
import { StateMark } from "../../parts/state_mark";
import { formatClock } from "../../text/format";
import type { LoggedEvent } from "./run_events";

interface Props {
  id: string;
  events: LoggedEvent[];
  isClosed: boolean;
  upTo: number | null;
  onChange: (upTo: number | null) => void;
}

export function TimeSlider({ id, events, isClosed, upTo, onChange }: Props) {
  const last = events.at(-1)?.sequence ?? 0;
  const at = upTo ?? last;
  const event = events[at - 1];
  if (last === 0) return null;
  return (
    <section className={upTo === null ? "time-slider" : "time-slider past"} aria-label="Time travel">
      <label htmlFor="up-to">{upTo !== null ? "As it was" : isClosed ? "At its end" : "Live"}</label>
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
        event {at} of {last} {event && <code>{event.type}</code>} {event && <span className="muted">{formatClock(event.at)}</span>}
      </span>
      {upTo !== null && (
        <>
          <ReplayedState id={id} upTo={upTo} />
          <button type="button" className="plain" onClick={() => onChange(null)}>
            {isClosed ? "Back to the end" : "Back to live"}
          </button>
        </>
      )}
    </section>
  );
}

function ReplayedState({ id, upTo }: { id: string; upTo: number }) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) => client.call("GET /v1/{ns}/runs/{id}/replay", { path: { ns, id }, query: { up_to: upTo }, signal }),
    [client, ns, id, upTo],
  );
  const replay = useLoaded(load);
  if (replay.problem) return <ProblemBox problem={replay.problem} />;
  if (!replay.value) return <span className="muted">replaying…</span>;
  return (
    <span className="replayed" data-sequence={replay.value.state.sequence}>
      <StateMark state={replay.value.state.state} />
    </span>
  );
}
