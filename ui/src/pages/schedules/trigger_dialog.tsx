// Fires a schedule once more, after a look at what that starts.
import { useConnection } from "../../api/context";
import type { Schedule } from "../../api/types";
import { ActionButton } from "../../parts/action_button";
import { Dialog } from "../../parts/dialog";
import { JsonView } from "../../parts/json_view";
import { fieldText } from "../../text/json_text";

export function TriggerDialog({ schedule, text, onClose }: { schedule: Schedule; text: string; onClose: () => void }) {
  const { client, ns } = useConnection();
  const trigger = async () => {
    await client.call("POST /v1/{ns}/schedules/{id}/trigger", { path: { ns, id: schedule.name } });
    onClose();
    return `${schedule.name} fires once more, now`;
  };
  return (
    <Dialog title={`Trigger ${schedule.name}`} onClose={onClose}>
      <p>
        {schedule.workflow === null ? "This task is enqueued now:" : `The workflow ${schedule.workflow} is started now, with this input:`}
      </p>
      <JsonView text={fieldText(text, schedule.workflow === null ? "task" : "input")} name="input" />
      <p className="muted">Its slots stay as they are. A paused schedule can be triggered too.</p>
      <footer>
        <ActionButton does={trigger} kind="main">
          Trigger now
        </ActionButton>
      </footer>
    </Dialog>
  );
}
