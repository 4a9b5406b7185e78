// The libraries' deviations from the rules of Vixie cron, with reasons. Only differences are compared with this list.
import { isWildcard } from "./vixie.mjs";

const isGap = ({ change }) => change.after > change.before;
const isFold = (one) => !isGap(one);
const isAnHour = ({ change }) => Math.abs(change.after - change.before) === 3600;
// The offset changes at midnight or to midnight, so that the change touches two days.
const isAtMidnight = ({ change }) => {
  const hours = [change.before, change.after].map((offset) => (((change.at + offset) % 86_400) + 86_400) % 86_400);
  return hours.includes(0);
};
const isFixed = ({ expression }) => !isWildcard(expression);
const hasFixedHours = ({ expression }) => !expression.startsWith("@") && !expression.split(" ")[1].startsWith("*");

export const deviations = [
  {
    library: "croner",
    name: "croner: a time in the gap is moved by the length of the gap",
    reason: "02:30 fires at 03:30 and not at 03:00 right after the gap; several such times may fall together with the times after it",
    applies: (one) => isGap(one) && isFixed(one),
  },
  {
    library: "croner",
    name: "croner: a wildcard has slots for the gap",
    reason: "times of a wildcard that the gap leaves out are moved behind it as if they were fixed; Vixie cron runs none of them",
    applies: (one) => isGap(one) && !isFixed(one),
  },
  {
    library: "croner",
    name: "croner: a wildcard is silent in the repeated time",
    reason: "each local time fires once, so that an hourly job pauses for two hours; Vixie cron runs wildcards in both",
    applies: (one) => isFold(one) && !isFixed(one),
  },
  {
    library: "croner",
    name: "croner: another change than an hour repeats the last time",
    reason: "in Lord Howe (30 minutes) and Troll (2 hours) a repeated fixed time fires the second time, elsewhere the first time",
    applies: (one) => isFold(one) && isFixed(one) && !isAnHour(one),
  },
  {
    library: "cron-parser",
    name: "cron-parser: a time in the gap is moved by the length of the gap",
    reason: "02:30 fires at 03:30, or with several times at each of them; Vixie cron runs the job right after the gap",
    applies: (one) => isGap(one) && isFixed(one),
  },
  {
    library: "cron-parser",
    name: "cron-parser: a wildcard in fixed hours has slots for the gap",
    reason: "only `*` in the hour counts as a wildcard: `*/30 2` and `15 */2` are moved behind the gap",
    applies: (one) => isGap(one) && !isFixed(one) && isAnHour(one),
  },
  {
    library: "cron-parser",
    name: "cron-parser: changes of other than an hour are not known",
    reason: "in Lord Howe slots are missing after the change, or the search ends with an error",
    applies: (one, found) => !isAnHour(one) && (found === undefined || !isFixed(one) || isFold(one)),
  },
  {
    library: "cron-parser",
    name: "cron-parser: a wildcard in fixed hours is silent in the repeated time",
    reason: "only `*` in the hour counts as a wildcard",
    applies: (one) => isFold(one) && !isFixed(one) && isAnHour(one) && (hasFixedHours(one) || one.expression.includes("*/")),
  },
  {
    library: "cron-parser",
    name: "cron-parser: a change at midnight repeats the last time",
    reason: "fixed times of the repeated hour fire the second time where it is the first hour of a day",
    applies: (one) => isFold(one) && isFixed(one) && isAtMidnight(one),
  },
];

export function deviationOf(library, one, found) {
  return deviations.find((deviation) => deviation.library === library && deviation.applies(one, found));
}
