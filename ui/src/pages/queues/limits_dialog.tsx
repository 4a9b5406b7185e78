// The limits of a queue. An empty field clears the limit.
import { useState } from "react";
import type { Queue } from "../../api/calls";
import { useConnection } from "../../api/context";
import { Dialog } from "../../parts/dialog";
import { Field } from "../../parts/field";
import { Form, useSending } from "../../parts/form";
import { draftOf, limitsFrom, type LimitsDraft } from "./limits";

export function LimitsDialog({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const { client, ns } = useConnection();
  const [draft, setDraft] = useState(() => draftOf(queue));
  const sending = useSending(async () => {
    await client.call("PUT /v1/{ns}/queues/{name}", { path: { ns, name: queue.name }, body: limitsFrom(draft) });
    onClose();
    return `Limits of ${queue.name} saved`;
  });
  const field = (name: keyof LimitsDraft, sentAs: string) => ({
    value: draft[name],
    error: sending.errorAt(sentAs),
    onChange: (value: string) => {
      setDraft((now) => ({ ...now, [name]: value }));
      sending.clearErrors(sentAs);
    },
  });
  return (
    <Dialog title={`Limits of ${queue.name}`} onClose={onClose}>
      <Form
        sending={sending}
        button="Save limits"
        fields={["max_concurrency", "rate.limit", "rate.per", "type_concurrency"]}
      >
        <p className="muted">Limits apply across all nodes and workers. Leave a field empty for no limit.</p>
        <Field label="Concurrency" {...field("concurrency", "max_concurrency")} />
        <div className="pair">
          <Field label="Rate limit (tasks)" {...field("rateLimit", "rate.limit")} />
          <Field label="Per" {...field("per", "rate.per")} />
        </div>
        <Field
          label="Concurrency by type"
          hint="type=number, separated by commas"
          {...field("types", "type_concurrency")}
        />
      </Form>
    </Dialog>
  );
}
