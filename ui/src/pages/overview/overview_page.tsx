// The live state of the server at a glance.
import { useCallback } from "react";
import { useConnection } from "../../api/context";
import { depthOf, useOldest, useTraffic } from "../../live/traffic";
import { useLoaded } from "../../live/use_loaded";
import { Command, Empty, ProblemBox } from "../../parts/basics";
import { Link } from "../../parts/link";
import { formatCount, formatMs } from "../../text/format";
import { RateChart } from "./rate_chart";
import { Tile } from "./tile";
import { Cluster } from "./cluster";
import { QueueList } from "./queue_list";

export function OverviewPage() {
  const { client, ns } = useConnection();
  const { queues, history, problem } = useTraffic();
  const oldestOf = useOldest();
  const loadWorkers = useCallback(
    (signal: AbortSignal) => client.call("GET /v1/{ns}/workers", { path: { ns }, query: { limit: 500 }, signal }),
    [client, ns],
  );
  const workers = useLoaded(loadWorkers, 5000);
  const online = workers.value?.items.filter((worker) => worker.status === "online").length ?? 0;
  const total = (pick: "pending" | "running" | "claimed" | "dead_letter") =>
    (queues ?? []).reduce((sum, queue) => sum + queue.counts[pick], 0);
  const oldest = Math.max(0, ...(queues ?? []).map(oldestOf));
  const waiting = (queues ?? []).reduce((sum, queue) => sum + depthOf(queue), 0);
  const counted = (n: number) => (queues === null ? "–" : formatCount(n)); // unknown is not zero
  const expired = history.risen("pawl_leases_expired_total");

  return (
    <>
      <h1>Overview</h1>
      <ProblemBox problem={problem} />
      <section className="tiles" aria-label="Totals">
        <Tile name="Queued" value={counted(waiting)} hint="ready, delayed, blocked" />
        <Tile
          name="Oldest ready"
          value={oldest > 0 ? formatMs(oldest) : "–"}
          hint="time in the queue"
          tone={oldest > 60_000 ? "retry" : undefined}
        />
        <Tile name="Running" value={counted(total("running") + total("claimed"))} hint="claimed by a worker" />
        <Tile
          name="Dead letters"
          value={<Link page="dead-letters">{counted(total("dead_letter"))}</Link>}
          hint="no attempts left"
          tone={total("dead_letter") > 0 ? "bad" : undefined}
        />
        <Tile
          name="Expired leases"
          value={formatCount(expired)}
          hint="since this page was opened"
          tone={expired > 0 ? "retry" : undefined}
        />
        <Tile
          name="Workers"
          value={<Link page="workers">{workers.value ? formatCount(online) : "–"}</Link>}
          hint="online"
          tone={workers.value && online === 0 ? "retry" : undefined}
        />
      </section>
      <RateChart />
      {queues?.length === 0 ? <FirstSteps /> : queues && <QueueList queues={queues} />}
      <Cluster />
    </>
  );
}

function FirstSteps() {
  return (
    <Empty title="No tasks yet">
      <p>Enqueuing a task creates its queue:</p>
      <Command>{`pawl task enqueue example.greet '{"name":"ada"}'`}</Command>
      <p>Then start a worker. Any program can be a handler:</p>
      <Command>pawl worker --handle 'example.greet=cat'</Command>
    </Empty>
  );
}
