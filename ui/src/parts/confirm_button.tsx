// A button for an irreversible action: it describes the consequences, and acts after a confirmation.
import { useState, type ReactNode } from "react";
import { Dialog } from "./dialog";
import { Form, useSending } from "./form";

interface Props {
  title: string; // of the dialog
  consequences: ReactNode;
  confirm: string; // the label of the confirming button
  dismiss?: string; // the label of the other button; "Cancel" would be ambiguous in a dialog that cancels work
  action: () => Promise<string | void>; // returns the message to show when it is done
  children: ReactNode;
  kind?: "plain" | "main" | "danger";
  isDisabled?: boolean;
  hint?: string;
}

export function ConfirmButton({
  title,
  consequences,
  confirm,
  dismiss = "Cancel",
  action,
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
          consequences={consequences}
          confirm={confirm}
          dismiss={dismiss}
          action={action}
          isDanger={kind === "danger"}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

interface QuestionProps {
  title: string;
  consequences: ReactNode;
  confirm: string;
  dismiss: string;
  action: () => Promise<string | void>;
  isDanger: boolean;
  onClose: () => void;
}

function Question({ title, consequences, confirm, dismiss, action, isDanger, onClose }: QuestionProps) {
  const sending = useSending(async () => {
    const message = await action();
    onClose();
    return message;
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
        <p>{consequences}</p>
      </Form>
    </Dialog>
  );
}
