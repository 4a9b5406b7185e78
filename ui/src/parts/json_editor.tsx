// A text field that reports during typing whether its content is JSON, and where it is not.
import { useId } from "react";
import { faultOf } from "../text/json_text";

interface Props {
  label: string;
  text: string;
  onChange: (text: string) => void;
  rows?: number;
  error?: string | null; // the server's error
}

export function JsonEditor({ label, text, onChange, rows = 8, error = null }: Props) {
  const id = useId();
  const fault = faultOf(text) ?? error;
  return (
    <div className="editor">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        spellCheck={false}
        value={text}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-says`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-says`} className={fault ? "tone-bad" : "tone-good"} role="status">
        {fault ?? "Valid JSON, sent unchanged."}
      </p>
    </div>
  );
}
