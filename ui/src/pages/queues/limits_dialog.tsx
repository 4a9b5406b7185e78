// The limits of a queue. An empty field clears the limit.
import { useState } from "react";
import type { Queue } from "../../api/types";
import { useConnection } from "../../api/context";
import { ActionButton } from "../../parts/action_button";
import { Dialog } from "../../parts/dialog";
import { Field } from "../../parts/field";

export function LimitsDialog({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const { client, ns } = useConnection();
  const [atOnce, setAtOnce] = useState(queue.max_concurrency?.toString() ?? "");
  const [limit, setLimit] = useState(queue.rate?.limit.toString() ?? "");
  const [per, setPer] = useState(queue.rate?.per ?? "1s");
  const [types, setTypes] = useState(typesText(queue.type_concurrency));

  const save = async () => {
    await client.call("PUT /v1/{ns}/queues/{name}", {
      path: { ns, name: queue.name },
      body: {
        max_concurrency: atOnce.trim() === "" ? null : Number(atOnce),
        rate: limit.trim() === "" ? null : { limit: Number(limit), per },
        type_concurrency: typesFrom(types),
      },
    });
    onClose();
    return `The limits of ${queue.name} are set; they hold over all nodes and workers`;
  };
  return (
    <Dialog title={`Limits of ${queue.name}`} onClose={onClose}>
      <p className="muted">They hold over all nodes and workers together. Empty means no limit.</p>
      <Field label="Tasks at once" value={atOnce} onChange={setAtOnce} />
      <div className="pair">
        <Field label="Starts" value={limit} onChange={setLimit} />
        <Field label="in each" value={per} onChange={setPer} />
      </div>
      <Field label="At once by type, as type=number, type=number" value={types} onChange={setTypes} />
      <footer>
        <ActionButton does={save} kind="main">
          Set the limits
        </ActionButton>
      </footer>
    </Dialog>
  );
}

function typesText(limits: Record<string, number>): string {
  return Object.entries(limits)
    .map(([type, limit]) => `${type}=${limit}`)
    .join(", ");
}

// What is no number is sent as it is: the server says what is wrong with it, by name.
function typesFrom(text: string): Record<string, number> | null {
  const entries = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part): [string, number] => {
      const mark = part.lastIndexOf("=");
      return [part.slice(0, mark < 0 ? undefined : mark).trim(), mark < 0 ? NaN : Number(part.slice(mark + 1))];
    });
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
