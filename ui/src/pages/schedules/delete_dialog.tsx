// Deletes a schedule after a confirmation.
import { useConnection } from "../../api/context";
import { Dialog } from "../../parts/dialog";
import { Form, useSending } from "../../parts/form";
import { goTo } from "../../route/route";

export function DeleteDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { client, ns } = useConnection();
  const sending = useSending(async () => {
    await client.call("DELETE /v1/{ns}/schedules/{id}", { path: { ns, id: name } });
    goTo({ ns, page: "schedules" });
    return `Schedule ${name} deleted`;
  });
  return (
    <Dialog title={`Delete ${name}`} onClose={onClose}>
      <Form sending={sending} button="Delete schedule" kind="danger">
        <p>The schedule no longer fires, and its firing history is deleted. Tasks and runs that it started continue.</p>
      </Form>
    </Dialog>
  );
}
