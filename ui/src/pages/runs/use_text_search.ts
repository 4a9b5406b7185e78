// Searches loaded rows for a text, and loads more until enough rows match. A limit, which the user can raise, prevents
// a page from loading a million runs automatically.
import { useCallback, useEffect, useState } from "react";
import type { Pages } from "../../live/use_pages";

export const searchedAtOnce = 2000;
const enough = 40; // more than fit on a screen

export interface TextSearch {
  isOn: boolean; // still loading
  goOn: () => void; // raises the limit by the same number of rows
  wantMore: () => void; // the last matching rows are visible
}

export function useTextSearch(pages: Omit<Pages<{ id: string }>, "look">, text: string, found: number): TextSearch {
  const [asked, setAsked] = useState({ text, searched: searchedAtOnce, found: enough });
  const now = asked.text === text ? asked : { text, searched: searchedAtOnce, found: enough };
  const { hasMore, loadMore, problem, items } = pages;
  const isOn = text !== "" && hasMore && problem === null && found < now.found && items.length < now.searched;
  useEffect(() => {
    if (isOn) loadMore();
  }, [isOn, loadMore]);
  const goOn = useCallback(
    () => setAsked({ text, searched: items.length + searchedAtOnce, found: found + enough }),
    [text, items.length, found],
  );
  const wantMore = useCallback(
    () =>
      setAsked((before) => ({
        text,
        searched: before.text === text ? before.searched : searchedAtOnce,
        found: found + enough,
      })),
    [text, found],
  );
  return { isOn, goOn, wantMore };
}
