// A button for what cannot be undone: it says what will happen, and does it when that was confirmed.
import { useState, type ReactNode } from "react";
import { Dialog } from "./dialog";
import { Form, useSending } from "./form";

interface Props {
  title: string; // of the question
  says: ReactNode; // what will happen
  confirm: string; // the word on the button that does it
  does: () => Promise<string | void>; // what to say when it is done
  children: ReactNode;
  kind?: "plain" | "main" | "danger";
  isDisabled?: boolean;
  hint?: string;
}

export function ConfirmButton({ title, says, confirm, does, children, kind = "plain", isDisabled = false, hint }: Props) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className={kind} disabled={isDisabled} title={hint} onClick={() => setAsking(true)}>
        {children}
      </button>
      {isAsking && <Question title={title} says={says} confirm={confirm} does={does} isDanger={kind === "danger"} onClose={() => setAsking(false)} />}
    </>
  );
}

interface QuestionProps {
  title: string;
  says: ReactNode;
  confirm: string;
  does: () => Promise<string | void>;
  isDanger: boolean;
  onClose: () => void;
}

function Question({ title, says, confirm, does, isDanger, onClose }: QuestionProps) {
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
          // A key that is held down too long must not answer what was just asked.
          <button type="button" className="plain" data-focus onClick={onClose}>
            Leave it
          </button>
        }
      >
        <p>{says}</p>
      </Form>
    </Dialog>
  );
}
