// A button that does something to the server: it waits for the answer and says what became of it. While it waits it stays
// what it is, since a button that is disabled loses the focus.
import { useState, type ReactNode } from "react";
import { useNotices } from "./notices";

interface Props {
  does: () => Promise<string | void>; // what to say when it is done
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
