// The throughput of this node per second: started, completed, failed and retried tasks.
import { useMemo } from "react";
import { useTraffic } from "../../live/traffic";
import { Chart, type Line } from "../../parts/chart";
import { formatRate } from "../../text/format";

const counters = [
  { name: "completed", metric: "pawl_tasks_completed_total", colour: "--good-plain" },
  { name: "started", metric: "pawl_tasks_claimed_total", colour: "--work-plain" },
  { name: "retried", metric: "pawl_tasks_retried_total", colour: "--retry-plain" },
  { name: "failed", metric: "pawl_tasks_failed_total", colour: "--bad-plain" },
];

export function RateChart() {
  const { history, round } = useTraffic();
  const times = useMemo(() => history.times(), [history, round]);
  const lines = useMemo<Line[]>(
    () => counters.map(({ name, metric, colour }) => ({ name, colour, values: history.rates(metric) })),
    [history, round],
  );
  return (
    <section className="panel" aria-label="Throughput">
      <Chart label="Throughput (tasks/s on this node)" times={times} lines={lines} />
      <p className="now">
        {lines.map((line) => (
          <span key={line.name}>
            <strong>{formatRate(line.values.at(-1) ?? 0)}</strong> {line.name}/s
          </span>
        ))}
      </p>
    </section>
  );
}
