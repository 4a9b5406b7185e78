// The queues with their waiting tasks, now and over the last minutes.
import { depthOf, useOldest, useTraffic } from "../../live/traffic";
import type { Queue } from "../../api/calls";
import { Link } from "../../parts/link";
import { Sparkline } from "../../parts/sparkline";
import { StateMark } from "../../parts/state_mark";
import { formatCount, formatMs } from "../../text/format";

export function QueueList({ queues }: { queues: Queue[] }) {
  const { history } = useTraffic();
  const oldestOf = useOldest();
  return (
    <section className="panel" aria-label="Queues">
      <h2>Queues</h2>
      <div className="scroll" tabIndex={0} role="group" aria-label="Queue counts">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col">Depth (last minutes)</th>
              <th scope="col" className="number">
                Queued
              </th>
              <th scope="col" className="number">
                Running
              </th>
              <th scope="col" className="number">
                Dead letters
              </th>
              <th scope="col" className="number">
                Oldest ready
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.name}>
                <th scope="row">
                  <Link page="queues">{queue.name}</Link> {queue.paused && <StateMark state="paused" />}
                </th>
                <td>
                  <Sparkline
                    values={history.series(`depth:${queue.name}`)}
                    label={`Depth of ${queue.name} over the last minutes`}
                  />
                </td>
                <td className="number">{formatCount(depthOf(queue))}</td>
                <td className="number">{formatCount(queue.counts.running + queue.counts.claimed)}</td>
                <td className={queue.counts.dead_letter > 0 ? "number tone-bad" : "number"}>
                  {formatCount(queue.counts.dead_letter)}
                </td>
                <td className="number">{queue.oldest_pending_age ? formatMs(oldestOf(queue)) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
