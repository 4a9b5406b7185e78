// A button that calls the server, waits for the answer, and shows the outcome. It is not disabled meanwhile, since a
// disabled button loses the focus.
import { useState, type ReactNode } from "react";
import { useNotices } from "./notices";

interface Props {
  action: () => Promise<string | void>; // returns the message to show when it is done
  children: ReactNode;
  kind?: "plain" | "main" | "danger";
  isDisabled?: boolean;
  title?: string;
}

export function ActionButton({ action, children, kind = "plain", isDisabled = false, title }: Props) {
  const [isBusy, setBusy] = useState(false);
  const { show, showError } = useNotices();
  const act = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      const message = await action();
      if (message) show(message);
    } catch (error) {
      showError(error);
    }
    setBusy(false);
  };
  return (
    <button type="button" className={kind} disabled={isDisabled} aria-busy={isBusy} title={title} onClick={act}>
      {children}
    </button>
  );
}
