// The pages of a list that have been read. A page is identified by the cursor that it begins after: cursors stay valid
// when rows are added, so that each page can be read again independently.
import type { Page } from "../api/types";

export interface ReadPage<Item> {
  cursor: string; // "": from the beginning
  items: Item[];
}

export interface PageList<Item> {
  pages: ReadPage<Item>[];
  next: string | null; // the cursor of the next unread page
}

interface Named {
  id: string;
}

export const pageSize = 100;

export function emptyList<Item>(): PageList<Item> {
  return { pages: [], next: null };
}

export function itemsOf<Item>(list: PageList<Item>): Item[] {
  return list.pages.flatMap((page) => page.items);
}

export function appended<Item extends Named>(list: PageList<Item>, cursor: string, page: Page<Item>): PageList<Item> {
  return tidied({ pages: [...list.pages, { cursor, items: page.items }], next: page.next_cursor });
}

// Replaces one page that was read again. If rows left the list, the page extends into later pages, which then lose
// those rows.
export function replaced<Item extends Named>(list: PageList<Item>, cursor: string, page: Page<Item>): PageList<Item> {
  const at = list.pages.findIndex((one) => one.cursor === cursor);
  if (at < 0) return list;
  if (page.next_cursor === null)
    return { pages: [...list.pages.slice(0, at), { cursor, items: page.items }], next: null };
  const isLast = at === list.pages.length - 1;
  const pages = list.pages.map((one, i) => (i === at ? { cursor, items: page.items } : one));
  return tidied({ pages, next: isLast ? page.next_cursor : list.next });
}

// Replaces the beginning, which was read again. Rows that were read before follow if the two overlap. null: they do
// not.
export function withBeginning<Item extends Named>(
  list: PageList<Item>,
  read: ReadPage<Item>[],
  next: string | null,
): PageList<Item> | null {
  if (next === null || list.pages.length === 0) return { pages: read, next };
  const isRead = new Set(read.flatMap((page) => page.items.map((item) => item.id)));
  const old = itemsOf(list);
  const meets = old.reduce((last, item, i) => (isRead.has(item.id) ? i : last), -1);
  if (meets < 0) return null;
  const above = new Set(old.slice(0, meets + 1).map((item) => item.id));
  const below = list.pages.map((page, i) => ({
    cursor: i === 0 ? next : page.cursor,
    items: page.items.filter((item) => !above.has(item.id)),
  }));
  const isNothingBelow = below.every((page) => page.items.length === 0);
  return isNothingBelow
    ? { pages: read, next }
    : tidied({ pages: [...read, ...below.filter((page) => page.items.length > 0)], next: list.next });
}

// The cursors of the pages that contain one of these rows.
export function cursorsOf<Item extends Named>(list: PageList<Item>, ids: ReadonlySet<string>): string[] {
  return list.pages.filter((page) => page.items.some((item) => ids.has(item.id))).map((page) => page.cursor);
}

// Removes duplicate rows, and merges pages that fit into one: otherwise new rows would create ever more pages.
function tidied<Item extends Named>(list: PageList<Item>): PageList<Item> {
  const seen = new Set<string>();
  const pages: ReadPage<Item>[] = [];
  for (const page of list.pages) {
    const items = page.items.filter((item) => !seen.has(item.id));
    for (const item of items) seen.add(item.id);
    const before = pages.at(-1);
    if (before && before.items.length + items.length <= pageSize) before.items = [...before.items, ...items];
    else pages.push({ cursor: page.cursor, items });
  }
  return { pages, next: list.next };
}
