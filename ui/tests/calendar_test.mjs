// The calendar strip: its cells, and the cell of each slot.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./support.mjs";

const { cellsOf, unitFor, zonedClock, zonedTime } = await importSource("text/calendar.ts");
const times = (...all) => all.map((time) => Date.parse(time));

test("the cell size follows the frequency of the slots", () => {
  const every = (ms, count = 5) => Array.from({ length: count }, (_, n) => n * ms);
  assert.equal(unitFor(every(5_000)), "10 seconds");
  assert.equal(unitFor(every(60_000)), "minute");
  assert.equal(unitFor(every(300_000)), "15 minutes");
  assert.equal(unitFor(every(3_600_000)), "hour");
  assert.equal(unitFor(every(6 * 3_600_000)), "day");
  assert.equal(unitFor(every(86_400_000)), "day");
  assert.equal(unitFor(every(7 * 86_400_000)), "week");
  assert.equal(unitFor(every(31 * 86_400_000)), "month");
  assert.equal(unitFor([]), "day");
});

test("days are those of the time zone", () => {
  // 22:30 in UTC is the next day in Berlin.
  const [at, now] = times("2026-06-01T22:30:00Z", "2026-06-03T12:00:00Z");
  const cells = cellsOf([{ at, state: "fired" }], "day", now, "Europe/Berlin", 2, 1);
  assert.deepEqual(
    cells.map((cell) => `${cell.name} ${cell.note} ${cell.slots.length} ${cell.isNow}`),
    ["Mon 1 Jun 0 false", "Tue 2 Jun 1 false", "Wed 3 Jun 0 true", "Thu 4 Jun 0 false"],
  );
  assert.equal(zonedTime(at, "Europe/Berlin"), "Tue 2 Jun 00:30");
});

test("weeks begin on Monday, months have their year", () => {
  const [now, sunday] = times("2026-11-16T00:00:00Z", "2026-11-15T23:59:59Z");
  const weeks = cellsOf([{ at: sunday, state: "fired" }], "week", now, "UTC", 1, 0);
  assert.deepEqual(
    weeks.map((cell) => `${cell.name} ${cell.slots.length}`),
    ["9 Nov 1", "16 Nov 0"],
  );
  const months = cellsOf([], "month", now, "UTC", 0, 2);
  assert.deepEqual(
    months.map((cell) => `${cell.name} ${cell.note}`),
    ["Nov 2026", "Dec 2026", "Jan 2027"],
  );
});

test("hours of a zone that is half an hour off", () => {
  const [now] = times("2026-01-01T00:00:00Z");
  const [cell] = cellsOf([], "hour", now, "Asia/Kolkata", 0, 0);
  assert.equal(cell.name, "05:00");
  assert.equal(zonedClock(now, "Asia/Kolkata"), "05:30");
});

test("cells hold their slots in order, and slots outside of the strip are omitted", () => {
  const [now, a, b, far] = times(
    "2026-01-01T10:00:00Z",
    "2026-01-01T11:00:05Z",
    "2026-01-01T11:00:00Z",
    "2027-01-01T11:00:00Z",
  );
  const cells = cellsOf(
    [a, b, far].map((at) => ({ at, state: "next" })),
    "minute",
    now,
    "UTC",
    0,
    60,
  );
  assert.deepEqual(
    cells.at(-1).slots.map((slot) => slot.at),
    [b, a],
  );
  assert.equal(
    cells.reduce((sum, cell) => sum + cell.slots.length, 0),
    2,
  );
});

test("a zone that the browser does not support is shown as UTC", () => {
  assert.equal(zonedClock(Date.parse("2026-01-01T10:00:05Z"), "Not/AZone"), "10:00:05");
});
