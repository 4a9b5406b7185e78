// Keys for the whole page: g and a letter navigates, / searches, ? shows all keys.
import { useEffect, useState } from "react";
import { Dialog } from "../parts/dialog";
import { goTo, type PageName } from "../route/route";

interface Props {
  places: { page: PageName; name: string; key: string }[];
  ns: string;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, dialog") !== null;
}

export function Keyboard({ places, ns }: Props) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(() => {
    let wasG = false;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const place = wasG ? places.find(({ key }) => key === event.key) : undefined;
      wasG = event.key === "g";
      if (place) goTo({ ns, page: place.page });
      else if (event.key === "?") setHelpOpen(true);
      else if (event.key === "/") {
        event.preventDefault();
        document.getElementById("search")?.focus();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [places, ns]);

  if (!isHelpOpen) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setHelpOpen(false)}>
      <dl className="keys">
        {places.map(({ page, name, key }) => (
          <div key={page}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Search by ID, key or name: Up and Down select, Enter opens</dd>
        </div>
        <div>
          <dt>
            <kbd>j</kbd> <kbd>k</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>In a table: next row, previous row, open</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close the dialog</dd>
        </div>
      </dl>
    </Dialog>
  );
}
