// Starts a run of a workflow, with an input that is checked during typing.
import { useState } from "react";
import { useConnection } from "../../api/context";
import { Dialog } from "../../parts/dialog";
import { Field } from "../../parts/field";
import { Form, useSending } from "../../parts/form";
import { JsonEditor } from "../../parts/json_editor";
import { goTo } from "../../route/route";
import { faultOf } from "../../text/json_text";

export function StartDialog({
  workflow,
  version,
  onClose,
}: {
  workflow: string;
  version: number;
  onClose: () => void;
}) {
  const { client, ns } = useConnection();
  const [key, setKey] = useState("");
  const [text, setText] = useState("{}");
  const sending = useSending(async () => {
    const named = key === "" ? "" : `,"run_key":${JSON.stringify(key)}`;
    const { created, run } = await client.call("POST /v1/{ns}/workflows/{name}/start", {
      path: { ns, name: workflow },
      bodyText: `{"version":${version},"input":${text}${named}}`,
    });
    goTo({ ns, page: "runs", id: run.id });
    return created ? "Run started" : "Opened the existing run with this key";
  });
  return (
    <Dialog title={`Start ${workflow} v${version}`} onClose={onClose}>
      <Form sending={sending} button="Start" isDisabled={faultOf(text) !== null} fields={["run_key", "input"]}>
        <Field
          label="Idempotency key (optional)"
          hint="A second start with the same key opens the existing run."
          value={key}
          onChange={setKey}
          error={sending.errorAt("run_key")}
        />
        <JsonEditor label="Input" text={text} onChange={setText} error={sending.errorAt("input")} />
      </Form>
    </Dialog>
  );
}
