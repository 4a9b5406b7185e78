// The times of waiting and work: one row per task, with attempts, sleeps and signals as bars.
import { useMemo, useState } from "react";
import { Empty } from "../../parts/basics";
import { formatMs, inWords } from "../../text/format";
import { lookOf } from "../../text/states";
import { useNow } from "../../live/use_now";
import { timelineOf, type LoggedEvent, type Span } from "./run_events";

interface Props {
  events: LoggedEvent[];
  upTo: number | null;
  isLive: boolean;
  onChoose: (id: string) => void;
}

const rowsMax = 200;
const ticks = 5;

export function Timeline({ events, upTo, isLive, onChoose }: Props) {
  const now = useNow();
  const [showsAll, setShowsAll] = useState(false);
  const shown = useMemo(
    () => (upTo === null ? events : events.filter((event) => event.sequence <= upTo)),
    [events, upTo],
  );
  const rows = useMemo(() => timelineOf(shown), [shown]);
  const from = Date.parse(shown[0]?.at ?? "");
  const end = Date.parse(shown.at(-1)?.at ?? "");
  const to = upTo === null && isLive ? Math.max(now, end) : end;
  if (rows.length === 0) return <Empty title="No tasks have started yet" />;
  const length = Math.max(1, to - from);
  const visible = showsAll ? rows : rows.slice(0, rowsMax);
  return (
    <div className="timeline">
      <div className="timeline-scale" aria-hidden="true">
        <span />
        <span className="timeline-ticks">
          {Array.from({ length: ticks }, (_, i) => (
            <span key={i}>{formatMs((length * i) / (ticks - 1))}</span>
          ))}
        </span>
      </div>
      <ol className="timeline-rows">
        {visible.map((row) => (
          <li key={row.name}>
            <button type="button" className="timeline-name" title={row.name} onClick={() => onChoose(row.nodeId)}>
              {row.name}
            </button>
            <span className="timeline-track">
              {row.spans.map((span, i) => (
                <Bar key={i} span={span} from={from} length={length} to={to} />
              ))}
            </span>
          </li>
        ))}
      </ol>
      {rows.length > rowsMax && !showsAll && (
        <button type="button" className="quiet" onClick={() => setShowsAll(true)}>
          Show all {rows.length} rows
        </button>
      )}
    </div>
  );
}

function Bar({ span, from, length, to }: { span: Span; from: number; length: number; to: number }) {
  const end = span.to ?? to;
  const words = `${span.what}: ${inWords(span.state)}, ${formatMs(end - span.from)}`;
  return (
    <span
      className={`bar bar-${span.state} bg-${lookOf(span.state).tone}`}
      role="img"
      aria-label={words}
      title={words}
      style={{
        left: `${((span.from - from) / length) * 100}%`,
        width: `${(Math.max(0, end - span.from) / length) * 100}%`,
      }}
    />
  );
}
