// A dialog in front of the page. The browser's own dialog keeps the focus inside and closes on Escape. However it
// closes, the focus returns to the element that opened it.
import { useEffect, useId, useRef, type ReactNode } from "react";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

// The initial focus: a marked element, a field, or a button below the text; not the cross in the corner.
const wanted = ["[data-focus]", "input, textarea, select", "footer button:not(:disabled)"];

export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    if (!dialog?.open) dialog?.showModal();
    const first = wanted.map((selector) => dialog?.querySelector<HTMLElement>(selector)).find((found) => found);
    first?.focus();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={onClose}>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={() => ref.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
