// JSON as received, indented. Long texts are folded, since a payload may have 2 MiB.
import { useMemo, useState } from "react";
import { indented } from "../text/json_text";

const charactersMax = 4000;

export function JsonView({ text, name }: { text: string | null; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const shown = useMemo(() => (text === null ? "" : indented(text)), [text]);
  if (text === null) return <p className="muted">no {name}</p>;
  const isLong = shown.length > charactersMax;
  return (
    <div className="json">
      <pre tabIndex={0} aria-label={name}>
        {isLong && !isOpen ? `${shown.slice(0, charactersMax)}…` : shown}
      </pre>
      {isLong && (
        <button type="button" className="quiet" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${shown.length.toLocaleString("en")} characters`}
        </button>
      )}
    </div>
  );
}
