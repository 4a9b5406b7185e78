// The attempts of a task: the holder, the duration and the outcome of each.
import type { Attempt } from "../../api/calls";
import { Age, ErrorLine, Id } from "../../parts/basics";
import { StateMark } from "../../parts/state_mark";
import { formatMs } from "../../text/format";

export function Attempts({ attempts }: { attempts: Attempt[] }) {
  return (
    <section className="panel" aria-label="Attempts">
      <h2>Attempts</h2>
      {attempts.length === 0 ? (
        <p className="muted">Hasn’t run yet</p>
      ) : (
        <div className="scroll" tabIndex={0} role="group" aria-label="Attempts and their outcomes">
          <table className="plain">
            <thead>
              <tr>
                <th scope="col" className="number">
                  No.
                </th>
                <th scope="col">Outcome</th>
                <th scope="col">Worker</th>
                <th scope="col">Claimed</th>
                <th scope="col">Duration</th>
                <th scope="col">Error</th>
              </tr>
            </thead>
            <tbody>
              {attempts.map((attempt) => (
                <tr key={`${attempt.attempt} ${attempt.fence}`}>
                  <td className="number">{attempt.attempt}</td>
                  <td>
                    <StateMark state={attempt.outcome ?? "running"} />
                  </td>
                  <td>
                    <Id id={attempt.worker_id} />
                  </td>
                  <td>
                    <Age at={attempt.claimed_at} />
                  </td>
                  <td>
                    {attempt.finished_at
                      ? formatMs(Date.parse(attempt.finished_at) - Date.parse(attempt.claimed_at))
                      : "–"}
                  </td>
                  <td className="wrap">
                    {attempt.error && (
                      <>
                        <strong>{attempt.error.code}</strong> {attempt.error.message}
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

// A compact form for narrow places.
export function AttemptList({ attempts }: { attempts: Attempt[] }) {
  return (
    <ol className="attempt-list" aria-label="Attempts">
      {attempts.map((attempt) => (
        <li key={`${attempt.attempt} ${attempt.fence}`}>
          <span className="attempt-head">
            <StateMark state={attempt.outcome ?? "running"} />
            <span className="muted">
              attempt {attempt.attempt}, <Age at={attempt.claimed_at} />
              {attempt.finished_at &&
                `, took ${formatMs(Date.parse(attempt.finished_at) - Date.parse(attempt.claimed_at))}`}
            </span>
          </span>
          <ErrorLine error={attempt.error} />
        </li>
      ))}
    </ol>
  );
}
