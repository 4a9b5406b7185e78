// Two versions of a definition, line by line. Removed lines are marked with - and added ones with +, not by color
// alone.
import { useMemo } from "react";
import { indented } from "../../text/json_text";
import { diffLines } from "../../text/line_diff";

const marks = { " ": "same", "-": "gone", "+": "new" };

export function Difference({ before, after }: { before: string | null; after: string | null }) {
  const lines = useMemo(() => diffLines(indented(before ?? ""), indented(after ?? "")), [before, after]);
  if (lines.every((line) => line.mark === " ")) return <p className="muted">The versions are identical.</p>;
  return (
    <pre className="difference" tabIndex={0} aria-label="Difference of the two versions">
      {lines.map((line, i) => (
        <span key={i} className={`diff-${marks[line.mark]}`}>
          {`${line.mark} ${line.text}\n`}
        </span>
      ))}
    </pre>
  );
}
