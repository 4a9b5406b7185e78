// Cron expressions and intervals in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./support.mjs";

const { cronFault } = await importSource("text/cron_fields.ts");
const { cronInWords, everyInWords } = await importSource("text/cron_words.ts");

const words = {
  // Time of day.
  "* * * * *": "Every minute",
  "* * * * * *": "Every second",
  "0 3 * * *": "At 03:00 every day",
  "30 9,17 * * *": "At 09:30 and 17:30 every day",
  "0,30 8,9 * * *": "At 08:00, 08:30, 09:00 and 09:30 every day",
  "15 0 3 * * *": "At 03:00:15 every day",
  "*/15 * * * *": "Every 15 minutes",
  "5/15 * * * *": "Every 15 minutes from minute 5",
  "*/7 * * * *": "Every 7 minutes from minute 0",
  "10-40/10 * * * *": "Every 10 minutes from minute 10 to 40",
  "0 * * * *": "Every hour, on the hour",
  "5 * * * *": "Every hour at minute 5",
  "5,35 * * * *": "At 5 and 35 minutes past every hour",
  "5,35 9-17 * * *": "At 5 and 35 minutes past the hour from 09:00 to 17:59",
  "0 */6 * * *": "Every 6 hours from 00:00",
  "30 */5 * * *": "Every 5 hours from 00:30 to 20:30",
  "0 8-18/2 * * *": "Every 2 hours from 08:00 to 18:00",
  "0 8-18 * * *": "Every hour from 08:00 to 18:00",
  "* 9-17 * * *": "Every minute from 09:00 to 17:59",
  "*/5 1,13 * * *": "Every 5 minutes in the hours 1 and 13",
  "*/10 * * * * *": "Every 10 seconds",
  "*/10 5 * * * *": "Every 10 seconds of minute 5 of every hour",
  "30 */5 * * * *": "Every 5 minutes, at second 30",
  "30 0 * * * *": "Every hour, on the hour, at second 30",
  // Days.
  "0 3 * * MON-FRI": "At 03:00 on Monday to Friday",
  "0 3 * * 1-5": "At 03:00 on Monday to Friday",
  "0 3 * * mon,wed,Fri": "At 03:00 on Monday, Wednesday and Friday",
  "0 3 * * 0": "At 03:00 on Sunday",
  "0 3 * * 7": "At 03:00 on Sunday",
  "0 3 ? * SAT": "At 03:00 on Saturday",
  "0 3 1 * ?": "At 03:00 on the 1st of the month",
  "0 3 1,15 * *": "At 03:00 on the 1st and 15th of the month",
  "0 3 1-7 * *": "At 03:00 on the 1st to 7th of the month",
  "0 3 */2 * *": "At 03:00 on every 2nd day from the 1st of the month",
  "0 3 22 * *": "At 03:00 on the 22nd of the month",
  "0 3 L * *": "At 03:00 on the last day of the month",
  "0 3 L-3 * *": "At 03:00 3 days before the last day of the month",
  "0 3 15W * *": "At 03:00 on the weekday nearest to the 15th of the month",
  "0 3 LW * *": "At 03:00 on the last weekday of the month",
  "0 3 * * 5L": "At 03:00 on the last Friday of the month",
  "0 3 * * MON#2": "At 03:00 on the second Monday of the month",
  "0 3 1 JAN,JUL *": "At 03:00 on the 1st of January and July",
  "0 3 * JUN-AUG *": "At 03:00 every day in June to August",
  "0 3 * 1 MON": "At 03:00 on Monday in January",
  "0 3 * 1/3 *": "At 03:00 every day in January, April, July and October",
  "0 3 13 * FRI": "At 03:00 on the 13th of the month, or on Friday",
  "*/30 9-17 * * MON-FRI": "Every 30 minutes from 09:00 to 17:59 on Monday to Friday",
  // Macros.
  "@hourly": "Every hour, on the hour",
  "@daily": "At 00:00 every day",
  "@Midnight": "At 00:00 every day",
  "@weekly": "At 00:00 on Sunday",
  "@monthly": "At 00:00 on the 1st of the month",
  "@yearly": "At 00:00 on the 1st of January",
};

for (const [expression, meaning] of Object.entries(words)) {
  test(`${expression}: ${meaning}`, () => assert.equal(cronInWords(expression), meaning));
}

test("an invalid cron expression has no words", () => {
  const wrong = [
    "",
    "* * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 8",
    "5-1 * * * *",
    "*/0 * * * *",
  ];
  wrong.push(
    "* * * * L",
    "* * * * MON#6",
    "* * L-31 * *",
    "1/2/3 * * * *",
    "1-2-3 * * * *",
    "a * * * *",
    "@reboot",
    "* * * * * * *",
  );
  for (const expression of wrong) assert.equal(cronInWords(expression), null, expression);
});

test("an interval in words", () => {
  assert.equal(everyInWords("10s"), "Every 10 seconds");
  assert.equal(everyInWords("1h"), "Every hour");
  assert.equal(everyInWords("1.5d"), "Every 1.5 days");
});

const faults = {
  "60 * * * *": "Minute must be 0–59",
  "* 24 * * *": "Hour must be 0–23",
  "* * 0 * *": "Day of the month must be 1–31",
  "* * * 13 *": "Month must be 1–12",
  "* * * * 8": "Day of the week must be 0–7",
  "*/0 * * * *": "Minute step must be 1–59",
  "* * * * MON#6": "Week of the month must be 1–5",
  "5-1 * * * *": "Minute has an invalid value: 5-1",
  "* * * *": "Enter minute, hour, day of the month, month and day of the week; seconds can come first.",
};

for (const [expression, fault] of Object.entries(faults)) {
  test(`${expression}: ${fault}`, () => assert.equal(cronFault(expression), fault));
}

test("a valid expression has no fault", () => assert.equal(cronFault("0 3 * * MON-FRI"), null));
