// Sends a signal. The payload is checked during typing and sent unchanged.
import { useState } from "react";
import { useConnection } from "../../api/context";
import type { Run } from "../../api/calls";
import { Dialog } from "../../parts/dialog";
import { Field } from "../../parts/field";
import { Form, useSending } from "../../parts/form";
import { JsonEditor } from "../../parts/json_editor";
import { faultOf } from "../../text/json_text";

export function SignalDialog({ run, names, onClose }: { run: Run; names: string[]; onClose: () => void }) {
  const { client, ns } = useConnection();
  const [name, setName] = useState(names[0] ?? "");
  const [text, setText] = useState('{"ok": true}');
  const sending = useSending(async () => {
    await client.call("POST /v1/{ns}/runs/{id}/signals/{name}", {
      path: { ns, id: run.id, name },
      bodyText: `{"payload":${text}}`,
    });
    onClose();
    return `Signal ${name} sent; it is stored until a task consumes it`;
  });
  return (
    <Dialog title="Send a signal" onClose={onClose}>
      <Form sending={sending} button="Send" isDisabled={name === "" || faultOf(text) !== null}>
        <Field label="Name" suggestions={names} value={name} onChange={setName} />
        <JsonEditor label="Payload" text={text} onChange={setText} />
      </Form>
    </Dialog>
  );
}
