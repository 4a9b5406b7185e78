// The log of a run, with a search over the full content of events.
import { useMemo, useState } from "react";
import { Empty } from "../../parts/basics";
import { JsonView } from "../../parts/json_view";
import { Table, type Column } from "../../parts/table";
import { formatClock } from "../../text/format";
import { nodeOf, type LoggedEvent } from "./run_events";

interface Props {
  events: LoggedEvent[];
  upTo: number | null;
  onGoTo: (sequence: number) => void;
}

const columns: Column<LoggedEvent>[] = [
  { name: "No.", width: "52px", cell: (event) => event.sequence, isNumber: true },
  {
    name: "Time",
    width: "104px",
    cell: (event) => (
      <time dateTime={event.at} title={event.at}>
        {formatClock(event.at)}
      </time>
    ),
  },
  { name: "Event", width: "minmax(130px, 1fr)", cell: (event) => <code>{event.type}</code> },
  { name: "Task", width: "minmax(80px, 1fr)", cell: (event) => nodeOf(event)?.id ?? "" },
  { name: "Actor", width: "90px", cell: (event) => event.actor.type, isSecondary: true },
  {
    name: "Details",
    width: "minmax(100px, 2fr)",
    cell: (event) => <code className="muted">{event.payloadText.slice(0, 200)}</code>,
    isSecondary: true,
  },
];

export function EventLog({ events, upTo, onGoTo }: Props) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState<LoggedEvent | null>(null);
  const wanted = text.trim().toLowerCase();
  const shown = useMemo(
    () =>
      events.filter(
        (event) =>
          (upTo === null || event.sequence <= upTo) &&
          (wanted === "" ||
            `${event.sequence} ${event.type} ${event.actor.type} ${event.actor.id ?? ""} ${event.payloadText}`
              .toLowerCase()
              .includes(wanted)),
      ),
    [events, upTo, wanted],
  );
  return (
    <div className="event-log">
      <div className="filter-fields">
        <input
          type="search"
          aria-label="Search the events"
          placeholder="Search type, task, payload…"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="muted" role="status">
          {shown.length} of {events.length}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="No events match" />
      ) : (
        <Table
          label="Events"
          columns={columns}
          rows={shown}
          keyOf={(event) => String(event.sequence)}
          onOpen={setOpen}
        />
      )}
      {open && (
        <section className="event-open" aria-label={`Event ${open.sequence}`}>
          <header className="page-head">
            <h2>
              {open.sequence} <code>{open.type}</code> <span className="muted">{open.at}</span>
              {open.caused_by !== null && <span className="muted"> · caused by {open.caused_by}</span>}
            </h2>
            <button type="button" className="plain" onClick={() => onGoTo(open.sequence)}>
              Show the run after this event
            </button>
            <button type="button" className="quiet" aria-label="Close the event" onClick={() => setOpen(null)}>
              ✕
            </button>
          </header>
          <JsonView text={open.payloadText} name="payload" />
        </section>
      )}
    </div>
  );
}
