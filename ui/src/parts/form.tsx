// The form of a dialog. Enter sends it. Errors, from the server or from a check before sending, are shown inside the
// dialog, at their field if they name one, and that field gets the focus.
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import type { FieldError } from "../api/calls";
import { problemOf, type Problem } from "../api/problem";
import { ProblemBox } from "./basics";
import { useNotices } from "./notices";

export interface Sending {
  isBusy: boolean;
  problem: Problem | null;
  submit: () => Promise<void>;
  errorAt: (field: string) => string | null;
  clearErrors: (...fields: string[]) => void; // these fields are being edited, so their errors are cleared
}

// `send` returns the message to show on success, and throws a Problem on failure.
export function useSending(send: () => Promise<string | void>): Sending {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [errors, setErrors] = useState<FieldError[]>([]);
  const { show } = useNotices();
  const submit = async () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    setErrors([]);
    try {
      const message = await send();
      if (message) show(message);
    } catch (error) {
      const found = problemOf(error);
      setProblem(found);
      setErrors(found.errors);
    }
    setBusy(false);
  };
  const errorAt = (field: string) => {
    const found = errors.filter((error) => isOf(error, field));
    return found.length > 0 ? found.map((error) => `${error.field} ${error.message}`).join(", ") : null;
  };
  const clearErrors = (...fields: string[]) =>
    setErrors((all) => all.filter((error) => !fields.some((field) => isOf(error, field))));
  return { isBusy, problem, submit, errorAt, clearErrors };
}

// The server may name a subfield, such as "task.retry.jitter", where a form has one field for the task.
function isOf({ field }: FieldError, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

interface Props {
  sending: Sending;
  button: ReactNode;
  kind?: "main" | "danger";
  isDisabled?: boolean;
  className?: string;
  fields?: string[]; // fields that show their own errors
  more?: ReactNode; // beside the button
  children: ReactNode;
}

export function Form({
  sending,
  button,
  kind = "main",
  isDisabled = false,
  className,
  fields = [],
  more,
  children,
}: Props) {
  const form = useRef<HTMLFormElement>(null);
  const { problem, isBusy } = sending;
  const isSaidAtFields =
    problem !== null &&
    problem.errors.length > 0 &&
    problem.errors.every((error) => fields.some((field) => isOf(error, field)));
  useEffect(() => {
    if (!problem) return;
    const atFault = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    atFault?.focus();
    (atFault?.closest(".field, .editor") ?? form.current?.querySelector(".problem"))?.scrollIntoView({
      block: "center",
    });
  }, [problem]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!isDisabled) void sending.submit();
  };
  return (
    <form ref={form} className={className} noValidate onSubmit={onSubmit}>
      {children}
      {!isSaidAtFields && <ProblemBox problem={problem} />}
      <footer>
        <button type="submit" className={kind} disabled={isDisabled} aria-busy={isBusy}>
          {button}
        </button>
        {more}
      </footer>
    </form>
  );
}
