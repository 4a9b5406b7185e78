// Sends a signal with a payload that is checked while it is written, and goes out as it was written.
import { useId, useState } from "react";
import { useConnection } from "../../api/context";
import type { Run } from "../../api/types";
import { ActionButton } from "../../parts/action_button";
import { Dialog } from "../../parts/dialog";
import { JsonEditor } from "../../parts/json_editor";
import { faultOf } from "../../text/json_text";

export function SignalDialog({ run, names, onClose }: { run: Run; names: string[]; onClose: () => void }) {
  const { client, ns } = useConnection();
  const [name, setName] = useState(names[0] ?? "");
  const [text, setText] = useState('{"ok": true}');
  const id = useId();
  const send = async () => {
    await client.call("POST /v1/{ns}/runs/{id}/signals/{name}", {
      path: { ns, id: run.id, name },
      bodyText: `{"payload":${text}}`,
    });
    onClose();
    return `${name} was sent; it is kept until a task takes it`;
  };
  return (
    <Dialog title="Send a signal" onClose={onClose}>
      <div className="field">
        <label htmlFor={id}>Name</label>
        <input id={id} list={`${id}-names`} value={name} spellCheck={false} onChange={(event) => setName(event.target.value)} />
        <datalist id={`${id}-names`}>
          {names.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
      </div>
      <JsonEditor label="Payload" text={text} onChange={setText} />
      <footer>
        <ActionButton does={send} kind="main" isDisabled={name === "" || faultOf(text) !== null}>
          Send
        </ActionButton>
      </footer>
    </Dialog>
  );
}
