// Data that is loaded once, and reloaded at intervals while the page is visible.
import { useCallback, useEffect, useRef, useState } from "react";
import { Problem, problemOf } from "../api/problem";

export interface Loaded<Value> {
  value: Value | null;
  problem: Problem | null; // of the last try; an older value stays
  isLoading: boolean;
  reload: () => void;
}

// `load` must change (useCallback) when the data that it loads does. `everyMs` 0: only on request.
export function useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, everyMs = 0): Loaded<Value> {
  const [value, setValue] = useState<Value | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  const loadedBy = useRef(load);
  const loadNow = useRef<() => void>(() => {});

  useEffect(() => {
    if (loadedBy.current !== load) {
      loadedBy.current = load;
      setValue(null); // it belongs to the previous `load`
    }
    const aborter = new AbortController();
    const { signal } = aborter;
    let timer = 0;
    let isBusy = false;
    let isWantedAgain = false;
    const loadOnce = async () => {
      try {
        const loaded = await load(signal);
        if (signal.aborted) return;
        setValue(loaded);
        setProblem(null);
      } catch (error) {
        if (!signal.aborted) setProblem(problemOf(error));
      }
    };
    const run = async () => {
      // Requests during a load are merged into one more load after it.
      isWantedAgain = true;
      if (isBusy || signal.aborted) return;
      // A page in the background does not load; it loads immediately when it becomes visible again.
      if (everyMs > 0 && document.hidden) {
        document.addEventListener("visibilitychange", run, { once: true, signal });
        return;
      }
      window.clearTimeout(timer);
      isBusy = true;
      setLoading(true);
      while (isWantedAgain && !signal.aborted) {
        isWantedAgain = false;
        await loadOnce();
      }
      isBusy = false;
      if (signal.aborted) return;
      setLoading(false);
      if (everyMs > 0) timer = window.setTimeout(run, everyMs);
    };
    loadNow.current = () => void run();
    void run();
    return () => {
      aborter.abort();
      window.clearTimeout(timer);
    };
  }, [load, everyMs]);

  return { value, problem, isLoading, reload: useCallback(() => loadNow.current(), []) };
}
