// The loaded pages of a list: each can be read again, and no row is lost or shown twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./support.mjs";

const { appended, withBeginning, cursorsOf, emptyList, itemsOf, replaced } = await importSource("live/page_list.ts");

// Rows from newest to oldest, as on the server. A cursor is the number of the row before its page.
const rows = (from, to, state = "old") =>
  Array.from({ length: from - to + 1 }, (_, i) => ({ id: String(from - i), state }));
const page = (from, to, state) => ({ items: rows(from, to, state), next_cursor: to > 1 ? String(to) : null });
const read = (from, to, state) => [{ cursor: "", items: rows(from, to, state) }];
const ids = (list) => itemsOf(list).map((row) => Number(row.id));
const countdown = (from, to) => rows(from, to).map((row) => Number(row.id));

function threePages() {
  let list = withBeginning(emptyList(), read(300, 201), "201");
  list = appended(list, "201", page(200, 101));
  return appended(list, "101", page(100, 1));
}

test("a visible page is read again by its own cursor", () => {
  const list = threePages();
  assert.deepEqual(cursorsOf(list, new Set(["150"])), ["201"]);
  const after = replaced(list, "201", page(200, 101, "new"));
  assert.deepEqual(ids(after), countdown(300, 1));
  assert.equal(itemsOf(after).find((row) => row.id === "150").state, "new");
  assert.equal(after.next, null);
});

test("new rows at the beginning move the others down, and all can still be read again", () => {
  let list = threePages();
  for (let newest = 301; newest <= 340; newest += 1)
    list = withBeginning(list, read(newest, newest - 99), String(newest - 99));
  assert.deepEqual(ids(list), countdown(340, 1));
  assert.ok(list.pages.length <= 5, `${list.pages.length} pages`);
  // Rows pushed out of the first page are in a page that begins where the first page ends.
  const [cursor] = cursorsOf(list, new Set(["240"]));
  assert.equal(cursor, "241");
  const after = replaced(list, "241", page(240, 141, "new"));
  assert.deepEqual(ids(after), countdown(340, 1));
});

test("rows that left the list are removed, and no other row is lost", () => {
  const gone = { items: [...rows(200, 181, "new"), ...rows(160, 81, "new")], next_cursor: "81" };
  const after = replaced(threePages(), "201", gone);
  assert.deepEqual(ids(after), [...countdown(300, 181), ...countdown(160, 1)]);
});

test("if the list ends earlier, the remaining rows are removed", () => {
  const after = replaced(threePages(), "201", { items: rows(200, 190), next_cursor: null });
  assert.deepEqual(ids(after), countdown(300, 190));
  assert.equal(after.next, null);
});

test("a beginning that does not overlap the read pages returns null", () => {
  assert.equal(withBeginning(threePages(), read(900, 801), "801"), null);
});
