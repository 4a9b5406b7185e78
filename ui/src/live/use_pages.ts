// A list that is read page by page as it is scrolled, and whose first page is looked at again every so often.
import { useCallback, useEffect, useRef, useState } from "react";
import type { Page } from "../api/types";
import { Problem, problemOf } from "../api/problem";

export interface Pages<Item> {
  items: Item[];
  problem: Problem | null;
  isLoading: boolean;
  hasMore: boolean;
  loadMore: () => void;
  reload: () => void;
}

type Load<Item> = (cursor: string, signal: AbortSignal) => Promise<Page<Item>>;

interface Held<Item> {
  items: Item[];
  cursor: string | null;
}

// `load` must change (useCallback) when the filter does.
export function usePages<Item extends { id: string }>(load: Load<Item>, everyMs = 0): Pages<Item> {
  const [held, setHeld] = useState<Held<Item>>({ items: [], cursor: null });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const loadedBy = useRef(load);
  const isBusy = useRef(false);

  useEffect(() => {
    const aborter = new AbortController();
    const isOther = loadedBy.current !== load;
    loadedBy.current = load;
    if (isOther) setHeld({ items: [], cursor: null });
    let timer = 0;
    const run = async () => {
      setLoading(true);
      try {
        const page = document.hidden ? null : await load("", aborter.signal);
        if (aborter.signal.aborted) return;
        if (page) setHeld((before) => refreshed(before, page));
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

  const loadMore = useCallback(async () => {
    if (!held.cursor || isBusy.current) return;
    isBusy.current = true;
    try {
      const page = await load(held.cursor, new AbortController().signal);
      if (loadedBy.current === load) setHeld((before) => ({ items: joined(before.items, page.items), cursor: page.next_cursor }));
    } catch (error) {
      setProblem(problemOf(error));
    }
    isBusy.current = false;
  }, [held.cursor, load]);

  const reload = useCallback(() => setRound((n) => n + 1), []);
  return { items: held.items, problem, isLoading, hasMore: held.cursor !== null, loadMore, reload };
}

function joined<Item extends { id: string }>(before: Item[], more: Item[]): Item[] {
  const known = new Set(before.map((item) => item.id));
  return [...before, ...more.filter((item) => !known.has(item.id))];
}

// The first page anew; what had been read after it stays, if the two still meet.
function refreshed<Item extends { id: string }>(before: Held<Item>, first: Page<Item>): Held<Item> {
  const last = first.items.at(-1)?.id;
  const meets = before.items.findIndex((item) => item.id === last);
  if (meets < 0 || first.next_cursor === null) return { items: first.items, cursor: first.next_cursor };
  const rest = before.items.slice(meets + 1);
  return { items: [...first.items, ...rest], cursor: rest.length > 0 ? before.cursor : first.next_cursor };
}
