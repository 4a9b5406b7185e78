// Data that is loaded once, and again every so often while the page is looked at.
import { useCallback, useEffect, useRef, useState } from "react";
import { Problem, problemOf } from "../api/problem";

export interface Loaded<Value> {
  value: Value | null;
  problem: Problem | null; // of the last try; an older value stays
  isLoading: boolean;
  reload: () => void;
}

// `load` must change (useCallback) when what it loads does. `everyMs` 0: only when asked to.
export function useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, everyMs = 0): Loaded<Value> {
  const [value, setValue] = useState<Value | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const loadedBy = useRef(load);

  useEffect(() => {
    if (loadedBy.current !== load) {
      loadedBy.current = load;
      setValue(null); // of something else
    }
    const aborter = new AbortController();
    let timer = 0;
    const run = async () => {
      // A page in the background asks for nothing, and asks at once when it is looked at again.
      if (everyMs > 0 && document.hidden) {
        document.addEventListener("visibilitychange", run, { once: true, signal: aborter.signal });
        return;
      }
      setLoading(true);
      try {
        const loaded = await load(aborter.signal);
        if (aborter.signal.aborted) return;
        setValue(loaded);
        setProblem(null);
      } catch (error) {
        if (aborter.signal.aborted) return;
        setProblem(problemOf(error));
      }
      setLoading(false);
      if (everyMs > 0) timer = window.setTimeout(run, everyMs);
    };
    void run();
    return () => {
      aborter.abort();
      window.clearTimeout(timer);
    };
  }, [load, everyMs, round]);

  return { value, problem, isLoading, reload: useCallback(() => setRound((n) => n + 1), []) };
}
