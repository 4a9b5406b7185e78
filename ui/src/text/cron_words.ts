// A cron expression in words: "0 3 * * MON-FRI" is "At 03:00 on Monday to Friday".
import { readCron, valuesOf, type CronFields, type MonthDay, type Span, type WeekDay } from "./cron_fields";

const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const nthNames = ["", "first", "second", "third", "fourth", "fifth"];
const clockTimesMax = 6; // more are unreadable as a list

// Returns null for an invalid expression.
export function cronInWords(text: string): string | null {
  const fields = readCron(text);
  if (!fields) return null;
  const clock = clockWords(fields);
  const days = daysWords(fields);
  if (days) return `${clock ?? timeWords(fields)} ${days}`;
  return clock ? `${clock} every day` : timeWords(fields);
}

// The `every` of a schedule in words: "90s" is "Every 90 seconds".
export function everyInWords(text: string): string {
  const units: Record<string, string> = { ms: "millisecond", s: "second", m: "minute", h: "hour", d: "day" };
  const [, count = "", unit = ""] = /^([\d.]+)(ms|s|m|h|d)$/.exec(text) ?? [];
  const word = units[unit];
  if (!word) return `Every ${text}`;
  return count === "1" ? `Every ${word}` : `Every ${count} ${word}s`;
}

// --- time of day ---

// A few times of day: "At 09:00 and 17:30"; null if there are more.
function clockWords({ seconds, minutes, hours }: CronFields): string | null {
  if (hours.some(isMany) || minutes.some(isMany) || seconds.some(isMany)) return null;
  const times = valuesOf(hours).flatMap((h) =>
    valuesOf(minutes).flatMap((m) => valuesOf(seconds).map((s) => clock(h, m, s))),
  );
  return times.length <= clockTimesMax ? `At ${listed(times)}` : null;
}

function timeWords({ seconds, minutes, hours }: CronFields): string {
  const every = onlySpan(minutes);
  const atSecond = seconds.some((span) => span.from !== 0 || span.to !== 0);
  if (atSecond && seconds.some(isMany)) return secondsWords(seconds, minutes, hours);
  const tail = atSecond ? `, at second ${listed(valuesOf(seconds))}` : "";
  if (every && isMany(every)) return `${minutesWords(every)}${withinHours(hours)}${tail}`;
  const past = valuesOf(minutes);
  const [only = 0] = past;
  if (past.length === 1) return `${hoursWords(hours, only)}${tail}`;
  return `At ${listed(past)} minutes past ${isEvery(hours) ? "every hour" : "the hour"}${withinHours(hours)}${tail}`;
}

function secondsWords(seconds: Span[], minutes: Span[], hours: Span[]): string {
  const every = onlySpan(seconds);
  const words = !every
    ? `At the seconds ${listed(valuesOf(seconds))}`
    : every.step === 1 && every.isAny
      ? "Every second"
      : `Every ${plural(every.step, "second")}${boundsWords(every, 60, "second")}`;
  if (isEvery(minutes)) return `${words}${withinHours(hours)}`;
  const span = onlySpan(minutes);
  const past = valuesOf(minutes);
  const of =
    span && isMany(span) && span.step === 1
      ? `minutes ${span.from} to ${span.to}`
      : `${past.length === 1 ? "minute" : "minutes"} ${listed(past)}`;
  return `${words} of ${of}${isEvery(hours) ? " of every hour" : withinHours(hours)}`;
}

function minutesWords(span: Span): string {
  return `Every ${plural(span.step, "minute")}${boundsWords(span, 60, "minute")}`;
}

// The bounds of a step, unless it repeats evenly in every cycle.
function boundsWords({ from, to, step, isAny }: Span, around: number, noun: string): string {
  const goesRound = around % step === 0 && from < step && to + step > around - 1;
  if (goesRound && from === 0) return "";
  if (goesRound) return ` from ${noun} ${from}`;
  return isAny ? ` from ${noun} 0` : ` from ${noun} ${from} to ${to}`;
}

// One minute of some hours.
function hoursWords(hours: Span[], minute: number): string {
  const span = onlySpan(hours);
  if (isEvery(hours)) return minute === 0 ? "Every hour, on the hour" : `Every hour at minute ${minute}`;
  if (!span || !isMany(span)) return `At ${listed(valuesOf(hours).map((h) => clock(h, minute, 0)))}`;
  const last = valuesOf([span]).at(-1) ?? span.to;
  const goesRound = 24 % span.step === 0 && span.from < span.step && last + span.step > 23;
  return `Every ${plural(span.step, "hour")} from ${clock(span.from, minute, 0)}${goesRound ? "" : ` to ${clock(last, minute, 0)}`}`;
}

// The hours in which something repeats.
function withinHours(hours: Span[]): string {
  if (isEvery(hours)) return "";
  const span = onlySpan(hours);
  if (span && span.step === 1) return ` from ${clock(span.from, 0, 0)} to ${clock(span.to, 59, 0)}`;
  return ` in the hours ${listed(valuesOf(hours))}`;
}

// --- days ---

function daysWords({ monthDays, months, weekDays }: CronFields): string {
  const names = isEvery(months) ? "" : spansWords(months, (m) => monthNames[m - 1] ?? "");
  if (!monthDays && !weekDays) return names && `every day in ${names}`;
  const of = names ? `of ${names}` : "of the month";
  const alternatives = [
    ...(monthDays ? monthDaysWords(monthDays, of) : []),
    ...(weekDays ? weekDaysWords(weekDays, of, names) : []),
  ];
  return alternatives.join(", or ");
}

function monthDaysWords(days: MonthDay[], of: string): string[] {
  const plain = days.flatMap((day) => (day.kind === "days" ? [day.span] : []));
  const words = plain.length > 0 ? [`on ${plainMonthDays(plain)} ${of}`] : [];
  for (const day of days) {
    if (day.kind === "last-weekday") words.push(`on the last weekday ${of}`);
    if (day.kind === "nearest") words.push(`on the weekday nearest to the ${ordinal(day.day)} ${of}`);
    if (day.kind === "before-last")
      words.push(
        day.days === 0 ? `on the last day ${of}` : `${plural(day.days, "day", "1 day")} before the last day ${of}`,
      );
  }
  return words;
}

function plainMonthDays(spans: Span[]): string {
  const span = onlySpan(spans);
  if (span?.isAny && span.step > 1) return `every ${ordinal(span.step)} day from the 1st`;
  return `the ${spansWords(spans, ordinal)}`;
}

function weekDaysWords(days: WeekDay[], of: string, months: string): string[] {
  const plain = days.flatMap((day) => (day.kind === "days" ? [day.span] : []));
  const name = (day: number) => dayNames[day % 7] ?? "";
  const words = plain.length > 0 ? [`on ${spansWords(plain, name)}${months && ` in ${months}`}`] : [];
  for (const day of days) {
    if (day.kind === "last") words.push(`on the last ${name(day.day)} ${of}`);
    if (day.kind === "nth") words.push(`on the ${nthNames[day.nth]} ${name(day.day)} ${of}`);
  }
  return words;
}

// --- helpers ---

function isMany({ from, to }: Span): boolean {
  return from !== to;
}

function isEvery(spans: Span[]): boolean {
  return spans.some((span) => span.isAny && span.step === 1);
}

function onlySpan(spans: Span[]): Span | null {
  return spans.length === 1 ? (spans[0] ?? null) : null;
}

// Ranges as "Monday to Friday", all others as single values.
function spansWords(spans: Span[], nameOf: (value: number) => string): string {
  const parts = spans.flatMap((span) =>
    span.step === 1 && span.to - span.from > 1
      ? [`${nameOf(span.from)} to ${nameOf(span.to)}`]
      : valuesOf([span]).map(nameOf),
  );
  return listed([...new Set(parts)]);
}

function listed(parts: (string | number)[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

// "minute", "5 minutes": the words after "every".
function plural(n: number, noun: string, one = noun): string {
  return n === 1 ? one : `${n} ${noun}s`;
}

function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${ending}`;
}

function clock(hour: number, minute: number, second: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(hour)}:${two(minute)}${second === 0 ? "" : `:${two(second)}`}`;
}
