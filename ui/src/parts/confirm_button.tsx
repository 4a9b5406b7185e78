// A button for an irreversible action: it describes the consequences, and acts after a confirmation.
import { useState, type ReactNode } from "react";
import { Dialog } from "./dialog";
import { Form, useSending } from "./form";

interface Props {
  title: string; // of the dialog
  says: ReactNode; // the consequences
  confirm: string; // the label of the confirming button
  dismiss?: string; // the label of the other button; "Cancel" would be ambiguous in a dialog that cancels work
  does: () => Promise<string | void>; // returns the message to show when it is done
  children: ReactNode;
  kind?: "plain" | "main" | "danger";
  isDisabled?: boolean;
  hint?: string;
}

export function ConfirmButton({
  title,
  says,
  confirm,
  dismiss = "Cancel",
  does,
  children,
  kind = "plain",
  isDisabled = false,
  hint,
}: Props) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className={kind} disabled={isDisabled} title={hint} onClick={() => setAsking(true)}>
        {children}
      </button>
      {isAsking && (
        <Question
          title={title}
          says={says}
          confirm={confirm}
          dismiss={dismiss}
          does={does}
          isDanger={kind === "danger"}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

interface QuestionProps {
  title: string;
  says: ReactNode;
  confirm: string;
  dismiss: string;
  does: () => Promise<string | void>;
  isDanger: boolean;
  onClose: () => void;
}

function Question({ title, says, confirm, dismiss, does, isDanger, onClose }: QuestionProps) {
  const sending = useSending(async () => {
    const said = await does();
    onClose();
    return said;
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        sending={sending}
        button={confirm}
        kind={isDanger ? "danger" : "main"}
        more={
          // The focus is here, so that a key that is held down too long does not confirm the new dialog.
          <button type="button" className="plain" data-focus onClick={onClose}>
            {dismiss}
          </button>
        }
      >
        <p>{says}</p>
      </Form>
    </Dialog>
  );
}
