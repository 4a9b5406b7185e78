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
    return `The schedule ${name} is deleted`;
  });
  return (
    <Dialog title={`Delete ${name}`} onClose={onClose}>
      <Form sending={sending} button="Delete the schedule" kind="danger">
        <p>It fires no more, and what it fired is forgotten. What it started goes on.</p>
      </Form>
    </Dialog>
  );
}
