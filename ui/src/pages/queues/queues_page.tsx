// Queues: their counts, their limits, and pausing them.
import { useState } from "react";
import type { Queue } from "../../api/calls";
import { useConnection } from "../../api/context";
import { useOldest, useTraffic } from "../../live/traffic";
import { ActionButton } from "../../parts/action_button";
import { Command, Empty } from "../../parts/basics";
import { Link } from "../../parts/link";
import { Sparkline } from "../../parts/sparkline";
import { StateMark } from "../../parts/state_mark";
import { useShownFirst } from "../../parts/use_shown_first";
import { formatCount, formatMs, inWords } from "../../text/format";
import { LimitsDialog } from "./limits_dialog";

const counted = ["pending", "scheduled", "blocked", "claimed", "running", "dead_letter"] as const;

// `name`: the queue in the address, if any.
export function QueuesPage({ name }: { name: string | null }) {
  const { queues } = useTraffic();
  const [edited, setEdited] = useState<Queue | null>(null);
  return (
    <>
      <h1>Queues</h1>
      {queues?.length === 0 && (
        <Empty title="No queues yet">
          <p>Enqueuing a task creates its queue:</p>
          <Command>{`pawl task enqueue email.send '{"to":"ada@example.org"}' --queue mail`}</Command>
        </Empty>
      )}
      <div className="cards">
        {queues?.map((queue) => (
          <QueueCard key={queue.name} queue={queue} isTarget={queue.name === name} onEdit={() => setEdited(queue)} />
        ))}
      </div>
      {edited && <LimitsDialog queue={edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function QueueCard({ queue, isTarget, onEdit }: { queue: Queue; isTarget: boolean; onEdit: () => void }) {
  const card = useShownFirst<HTMLElement>(isTarget);
  const { client, ns } = useConnection();
  const { history } = useTraffic();
  const oldestOf = useOldest();
  const setPaused = async (paused: boolean) => {
    await client.call("PUT /v1/{ns}/queues/{name}", { path: { ns, name: queue.name }, body: { paused } });
    return paused ? `Queue ${queue.name} paused: its tasks cannot be claimed` : `Queue ${queue.name} resumed`;
  };
  return (
    <section
      ref={card}
      className={isTarget ? "card card-target" : "card"}
      tabIndex={-1}
      aria-label={`Queue ${queue.name}`}
    >
      <header>
        <h2>{queue.name}</h2>
        <StateMark state={queue.paused ? "paused" : "open"} />
      </header>
      <Sparkline
        values={history.series(`depth:${queue.name}`)}
        label={`Depth of ${queue.name} over the last minutes`}
      />
      <dl className="counts">
        {counted.map((name) => (
          <div key={name}>
            <dt>{inWords(name)}</dt>
            <dd className={name === "dead_letter" && queue.counts[name] > 0 ? "tone-bad" : ""}>
              <Link
                page={name === "dead_letter" ? "dead-letters" : "tasks"}
                query={
                  name === "dead_letter" ? {} : { queue: queue.name, status: name === "scheduled" ? "pending" : name }
                }
              >
                {formatCount(queue.counts[name])}
              </Link>
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted">{limitsInWords(queue)}</p>
      {queue.oldest_pending_age && <p className="muted">Oldest ready task: {formatMs(oldestOf(queue))}</p>}
      <footer>
        <ActionButton action={() => setPaused(!queue.paused)} kind={queue.paused ? "main" : "plain"}>
          {queue.paused ? "Resume" : "Pause"}
        </ActionButton>
        <button type="button" className="plain" onClick={onEdit}>
          Limits…
        </button>
      </footer>
    </section>
  );
}

function limitsInWords(queue: Queue): string {
  const words: string[] = [];
  if (queue.max_concurrency !== null) words.push(`concurrency ${queue.max_concurrency}`);
  for (const [type, limit] of Object.entries(queue.type_concurrency)) words.push(`concurrency of ${type} ${limit}`);
  if (queue.rate) words.push(`${queue.rate.limit} tasks per ${queue.rate.per}`);
  return words.length > 0 ? `Limits: ${words.join(", ")}.` : "No limits.";
}
