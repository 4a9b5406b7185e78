// Searches loaded rows for a text, and loads more until enough rows match. A limit, which the user can raise, prevents
// a page from loading a million runs automatically.
import { useCallback, useEffect, useState } from "react";
import type { Pages } from "../../live/use_pages";

export const searchBatch = 2000;
const enough = 40; // more than fit on a screen

export interface TextSearch {
  isOn: boolean; // still loading
  searchMore: () => void; // raises the limit by the same number of rows
  wantMore: () => void; // the last matching rows are visible
}

export function useTextSearch(pages: Omit<Pages<{ id: string }>, "look">, text: string, found: number): TextSearch {
  const [bounds, setBounds] = useState({ text, searched: searchBatch, found: enough });
  const now = bounds.text === text ? bounds : { text, searched: searchBatch, found: enough };
  const { hasMore, loadMore, problem, items } = pages;
  const isOn = text !== "" && hasMore && problem === null && found < now.found && items.length < now.searched;
  useEffect(() => {
    if (isOn) loadMore();
  }, [isOn, loadMore]);
  const searchMore = useCallback(
    () => setBounds({ text, searched: items.length + searchBatch, found: found + enough }),
    [text, items.length, found],
  );
  const wantMore = useCallback(
    () =>
      setBounds((before) => ({
        text,
        searched: before.text === text ? before.searched : searchBatch,
        found: found + enough,
      })),
    [text, found],
  );
  return { isOn, searchMore, wantMore };
}
