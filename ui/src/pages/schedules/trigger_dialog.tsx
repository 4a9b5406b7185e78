// Fires a schedule now, after showing its target.
import { useConnection } from "../../api/context";
import type { Schedule } from "../../api/calls";
import { Dialog } from "../../parts/dialog";
import { Form, useSending } from "../../parts/form";
import { JsonView } from "../../parts/json_view";
import { fieldText } from "../../text/json_text";

export function TriggerDialog({ schedule, text, onClose }: { schedule: Schedule; text: string; onClose: () => void }) {
  const { client, ns } = useConnection();
  const sending = useSending(async () => {
    await client.call("POST /v1/{ns}/schedules/{id}/trigger", { path: { ns, id: schedule.name } });
    onClose();
    return `Schedule ${schedule.name} triggered`;
  });
  return (
    <Dialog title={`Trigger ${schedule.name}`} onClose={onClose}>
      <Form sending={sending} button="Trigger now">
        <p>
          {schedule.workflow === null
            ? "This task is enqueued now:"
            : `The workflow ${schedule.workflow} is started now, with this input:`}
        </p>
        <JsonView text={fieldText(text, schedule.workflow === null ? "task" : "input")} name="input" />
        <p className="muted">Regular slots are not affected. You can also trigger a paused schedule.</p>
      </Form>
    </Dialog>
  );
}
