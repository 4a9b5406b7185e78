// Starts a run of a workflow with an input that is checked while it is written.
import { useId, useState } from "react";
import { useConnection } from "../../api/context";
import { ActionButton } from "../../parts/action_button";
import { Dialog } from "../../parts/dialog";
import { JsonEditor } from "../../parts/json_editor";
import { goTo } from "../../route/route";
import { faultOf } from "../../text/json_text";

export function StartDialog({ workflow, version, onClose }: { workflow: string; version: number; onClose: () => void }) {
  const { client, ns } = useConnection();
  const [key, setKey] = useState("");
  const [text, setText] = useState("{}");
  const id = useId();
  const start = async () => {
    const named = key === "" ? "" : `,"run_key":${JSON.stringify(key)}`;
    const { created, run } = await client.call("POST /v1/{ns}/workflows/{name}/start", {
      path: { ns, name: workflow },
      bodyText: `{"version":${version},"input":${text}${named}}`,
    });
    goTo({ ns, page: "runs", id: run.id });
    return created ? "The run has started" : "A run with this key was there already: this is it";
  };
  return (
    <Dialog title={`Start ${workflow} v${version}`} onClose={onClose}>
      <div className="field">
        <label htmlFor={id}>Key, so that starting twice starts once (may be left empty)</label>
        <input id={id} value={key} spellCheck={false} onChange={(event) => setKey(event.target.value)} />
      </div>
      <JsonEditor label="Input" text={text} onChange={setText} />
      <footer>
        <ActionButton does={start} kind="main" isDisabled={faultOf(text) !== null}>
          Start
        </ActionButton>
      </footer>
    </Dialog>
  );
}
