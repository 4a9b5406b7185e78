// Workers: their status, their held tasks, and draining.
import { useCallback, useState } from "react";
import type { Worker } from "../../api/calls";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { AgeFact, Command, Empty, Fact, Facts, Id, Labels, ProblemBox } from "../../parts/basics";
import { ConfirmButton } from "../../parts/confirm_button";
import { StateMark } from "../../parts/state_mark";
import { useShownFirst } from "../../parts/use_shown_first";
import { formatCount } from "../../text/format";
import { HeldTasks } from "./held_tasks";

const order = { online: 0, draining: 1, offline: 2 };

// `id`: the worker in the address, if any.
export function WorkersPage({ id }: { id: string | null }) {
  const { client, ns } = useConnection();
  const [showsOffline, setShowsOffline] = useState(id !== null);
  const load = useCallback(
    (signal: AbortSignal) => client.call("GET /v1/{ns}/workers", { path: { ns }, query: { limit: 500 }, signal }),
    [client, ns],
  );
  const workers = useLoaded(load, 3000);
  const all = [...(workers.value?.items ?? [])].sort(
    (a, b) => order[a.status] - order[b.status] || b.heartbeat_at.localeCompare(a.heartbeat_at),
  );
  const shown = all.filter((worker) => showsOffline || worker.status !== "offline");
  const offline = all.length - all.filter((worker) => worker.status !== "offline").length;
  return (
    <>
      <h1>Workers</h1>
      <ProblemBox problem={workers.problem} />
      {workers.value && shown.length === 0 && (
        <Empty title="No worker is online">
          <p>Tasks stay queued until a worker connects. Any program can be a handler:</p>
          <Command>pawl worker --handle 'email.send=./send.sh'</Command>
        </Empty>
      )}
      <div className="cards wide">
        {shown.map((worker) => (
          <WorkerCard
            key={worker.worker_id}
            worker={worker}
            isTarget={worker.worker_id === id}
            onChange={workers.reload}
          />
        ))}
      </div>
      {offline > 0 && (
        <button
          type="button"
          className="quiet"
          aria-expanded={showsOffline}
          onClick={() => setShowsOffline(!showsOffline)}
        >
          {showsOffline ? "Hide" : "Show"} {offline} offline
        </button>
      )}
    </>
  );
}

function WorkerCard({ worker, isTarget, onChange }: { worker: Worker; isTarget: boolean; onChange: () => void }) {
  const card = useShownFirst<HTMLElement>(isTarget);
  const { client, ns } = useConnection();
  const drain = async () => {
    await client.call("POST /v1/{ns}/workers/{id}/drain", { path: { ns, id: worker.worker_id } });
    onChange();
    return `Worker on ${worker.hostname || "an unknown host"} is draining`;
  };
  return (
    <section
      ref={card}
      className={isTarget ? "card card-target" : "card"}
      tabIndex={-1}
      aria-label={`Worker ${worker.worker_id}`}
    >
      <header>
        <h2>
          {worker.hostname || "unknown host"} <span className="muted">· {worker.pid}</span>
        </h2>
        <StateMark state={worker.status} />
      </header>
      <Facts>
        <Fact name="ID">
          <Id id={worker.worker_id} whole />
        </Fact>
        <Fact name="Queues">{worker.queues.join(", ") || "–"}</Fact>
        <Fact name="Types">{worker.task_types.join(", ") || "all"}</Fact>
        <Fact name="Concurrency">{worker.max_concurrent || "unlimited"}</Fact>
        <Fact name="Completed">{formatCount(worker.total_completed)}</Fact>
        <Fact name="Failed">{formatCount(worker.total_failed)}</Fact>
        <AgeFact name="Heartbeat" at={worker.heartbeat_at} />
        <AgeFact name="Registered" at={worker.registered_at} />
      </Facts>
      <Labels labels={worker.labels} />
      <HeldTasks workerId={worker.worker_id} />
      {worker.status === "online" && (
        <footer>
          <ConfirmButton
            title={`Drain ${worker.hostname || worker.worker_id}`}
            consequences="The worker claims no more tasks and finishes its active ones. To use it again, restart its process."
            confirm="Drain the worker"
            action={drain}
          >
            Drain…
          </ConfirmButton>
        </footer>
      )}
    </section>
  );
}
