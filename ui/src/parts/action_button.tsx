// A button that calls the server, waits for the answer, and shows the outcome. It is not disabled meanwhile, since a
// disabled button loses the focus.
import { useState, type ReactNode } from "react";
import { useNotices } from "./notices";

interface Props {
  does: () => Promise<string | void>; // returns the message to show when it is done
  children: ReactNode;
  kind?: "plain" | "main" | "danger";
  isDisabled?: boolean;
  title?: string;
}

export function ActionButton({ does, children, kind = "plain", isDisabled = false, title }: Props) {
  const [isBusy, setBusy] = useState(false);
  const { say, complain } = useNotices();
  const act = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      const said = await does();
      if (said) say(said);
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  return (
    <button type="button" className={kind} disabled={isDisabled} aria-busy={isBusy} title={title} onClick={act}>
      {children}
    </button>
  );
}
