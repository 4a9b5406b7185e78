// Two libraries for cron expressions, behind one function each.
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";

// Slots after `from` up to `to`, in seconds; nothing if the library fails.
function slotsOfCroner(expression, zone, from, to) {
  const cron = new Cron(expression, { timezone: zone });
  const slots = [];
  for (let date = cron.nextRun(new Date(from * 1000)); date && date.getTime() <= to * 1000; date = cron.nextRun(date))
    slots.push(date.getTime() / 1000);
  return slots;
}

function slotsOfCronParser(expression, zone, from, to) {
  const cron = CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(from * 1000) });
  const slots = [];
  try {
    for (let time = cron.next().getTime(); time <= to * 1000; time = cron.next().getTime()) slots.push(time / 1000);
  } catch {
    return undefined;
  }
  return slots;
}

export const libraries = [
  { name: "croner", slots: slotsOfCroner },
  { name: "cron-parser", slots: slotsOfCronParser },
];

const kept = new Map();

// The minutes of a UTC clock that an expression names, between the earliest and the latest local time.
export function dayTimesOf(library, expression, minutes) {
  const shown = minutes.map((minute) => minute.shown);
  const from = Math.min(shown[0], shown.at(-1)) - 3 * 3600;
  const to = Math.max(shown[0], shown.at(-1)) + 3 * 3600;
  const key = `${library.name} ${expression} ${from} ${to}`;
  if (!kept.has(key)) {
    if (kept.size > 200) kept.clear();
    kept.set(key, new Set(library.slots(expression, "UTC", from, to)));
  }
  return kept.get(key);
}
