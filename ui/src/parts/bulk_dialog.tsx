// An action on everything that matches a filter, beyond the loaded page: first counts the matches, then acts in rounds
// with progress. The user can stop after each round.
import { useRef, useState } from "react";
import type { BulkResult } from "../api/calls";
import { useLoaded } from "../live/use_loaded";
import { formatCount, plural } from "../text/format";
import { ProblemBox } from "./basics";
import { Dialog } from "./dialog";
import { problemOf, type Problem } from "../api/problem";

export interface Bulk {
  verb: string; // Retry, Cancel
  noun: string; // task, run
  filterInWords: string;
  count: (signal: AbortSignal) => Promise<Count>; // must stay the same while the dialog is open
  act: (limit: number) => Promise<BulkResult>;
  impossible?: string; // why the action cannot apply to any match: the server is then not called
  explain?: () => Promise<string>; // why nothing was changed although something matched
}

export interface Count {
  matched: number;
  isMore: boolean; // there are more than were counted
}

export const previewMax = 10_000; // as many as the server counts

const roundSize = 500;
const nothing = async (): Promise<Count> => ({ matched: 0, isMore: false });

export function BulkDialog({ bulk, onClose }: { bulk: Bulk; onClose: () => void }) {
  const preview = useLoaded(bulk.impossible ? nothing : bulk.count);
  const [changed, setChanged] = useState<number | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [why, setWhy] = useState(bulk.impossible ?? "");
  const stop = useRef(false);

  const run = async () => {
    stop.current = false;
    setRunning(true);
    setProblem(null);
    let total = 0;
    try {
      for (;;) {
        const result = await bulk.act(roundSize);
        total += result.changed;
        setChanged(total);
        // Unchanged matches would match again forever.
        if (stop.current || result.matched < roundSize || result.changed === 0) {
          if (total === 0 && result.matched > 0 && bulk.explain) setWhy(await bulk.explain());
          break;
        }
      }
    } catch (error) {
      setProblem(problemOf(error));
    }
    setRunning(false);
  };
  const found = preview.value;
  const isDone = changed !== null && !isRunning;
  return (
    <Dialog title={`${bulk.verb} by filter`} onClose={onClose}>
      <p>{bulk.filterInWords}</p>
      <ProblemBox problem={problem ?? preview.problem} />
      <p className="bulk-count" role="status">
        {progressInWords(bulk.noun, preview.value, changed, isRunning)}
      </p>
      {why && <p role="status">{why}</p>}
      {isRunning && (
        <progress value={changed ?? 0} max={Math.max(found?.matched ?? 1, changed ?? 0)} aria-label="Progress" />
      )}
      <footer>
        {isDone ? (
          <button type="button" className="main" data-focus onClick={onClose}>
            Close
          </button>
        ) : isRunning ? (
          <button type="button" className="plain" onClick={() => (stop.current = true)}>
            Stop after this batch
          </button>
        ) : (
          <StartButton verb={bulk.verb} found={found} onClick={run} />
        )}
      </footer>
    </Dialog>
  );
}

function progressInWords(noun: string, found: Count | null, changed: number | null, isRunning: boolean): string {
  if (changed !== null) return `${plural(changed, noun)} changed${isRunning ? " so far…" : "."}`;
  if (!found) return "Counting…";
  const { matched, isMore } = found;
  return `${formatCount(matched)}${isMore ? " or more" : ""} ${matched === 1 ? noun : `${noun}s`} match now.`;
}

function StartButton({ verb, found, onClick }: { verb: string; found: Count | null; onClick: () => void }) {
  return (
    <button type="button" className="danger" disabled={!found || found.matched === 0} onClick={onClick}>
      {verb} {found && `${formatCount(found.matched)}${found.isMore ? "+" : ""}`}
    </button>
  );
}
