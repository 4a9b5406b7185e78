// A list that is read page by page during scrolling. At intervals, its beginning and the visible pages are read again:
// only a few calls, however long the list is.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Page } from "../api/types";
import { Problem, problemOf } from "../api/problem";
import { remember, remembered } from "../route/memory";
import {
  appended,
  withBeginning,
  cursorsOf,
  emptyList,
  itemsOf,
  replaced,
  type PageList,
  type ReadPage,
} from "./page_list";

export interface Pages<Item> {
  items: Item[];
  problem: Problem | null;
  isLoading: boolean;
  hasMore: boolean;
  loadMore: () => void;
  reload: () => void;
  look: (rows: Item[]) => void; // reports the visible rows
}

type Load<Item> = (cursor: string, signal: AbortSignal) => Promise<Page<Item>>;
type Change<Item> = (before: PageList<Item>) => PageList<Item>;

interface Options {
  everyMs: number;
  place?: string; // where the list is remembered for navigation back to it
}

const newPagesMax = 3; // with more new rows than that the list starts over

// `load` must change (useCallback) when the filter does.
export function usePages<Item extends { id: string }>(load: Load<Item>, { everyMs, place = "" }: Options): Pages<Item> {
  const [list, setList] = useState<PageList<Item>>(() => remembered<PageList<Item>>(place, "pages") ?? emptyList());
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const loadedBy = useRef(load);
  const isBusy = useRef(false);
  const visibleIds = useRef<ReadonlySet<string>>(new Set());
  const latest = useRef(list);
  latest.current = list;

  useEffect(() => () => remember(place, "pages", latest.current), [place]);

  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    if (loadedBy.current !== load) {
      loadedBy.current = load;
      latest.current = emptyList(); // it belongs to the previous `load`
      setList(latest.current);
    }
    let timer = 0;
    const change = (make: Change<Item>) => !signal.aborted && setList(make);
    const run = async () => {
      setLoading(true);
      try {
        if (!document.hidden) {
          await readBeginning(load, signal, latest.current, change);
          await readAgain(load, signal, cursorsOf(latest.current, visibleIds.current), change);
        }
        if (signal.aborted) return;
        setProblem(null);
      } catch (error) {
        if (signal.aborted) return;
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
    const cursor = list.next;
    if (cursor === null || isBusy.current) return;
    isBusy.current = true;
    try {
      const page = await load(cursor, new AbortController().signal);
      // Meanwhile the list may have been replaced, or may have a different end.
      if (loadedBy.current === load)
        setList((before) => (before.next === cursor ? appended(before, cursor, page) : before));
    } catch (error) {
      setProblem(problemOf(error));
    }
    isBusy.current = false;
  }, [list.next, load]);

  const reload = useCallback(() => setRound((n) => n + 1), []);
  const look = useCallback((rows: Item[]) => void (visibleIds.current = new Set(rows.map((row) => row.id))), []);
  const items = useMemo(() => itemsOf(list), [list]);
  return { items, problem, isLoading, hasMore: list.next !== null, loadMore, reload, look };
}

async function readBeginning<Item extends { id: string }>(
  load: Load<Item>,
  signal: AbortSignal,
  before: PageList<Item>,
  change: (make: Change<Item>) => void,
): Promise<void> {
  const read: ReadPage<Item>[] = [];
  let cursor = "";
  for (;;) {
    const page = await load(cursor, signal);
    read.push({ cursor, items: page.items });
    const next = page.next_cursor;
    const isLast = next === null || read.length === newPagesMax || withBeginning(before, read, next) !== null;
    if (isLast) return change((now) => withBeginning(now, read, next) ?? { pages: read, next });
    cursor = next;
  }
}

async function readAgain<Item extends { id: string }>(
  load: Load<Item>,
  signal: AbortSignal,
  cursors: string[],
  change: (make: Change<Item>) => void,
): Promise<void> {
  for (const cursor of cursors) {
    if (cursor === "") continue; // already read
    const page = await load(cursor, signal);
    change((now) => replaced(now, cursor, page));
  }
}
