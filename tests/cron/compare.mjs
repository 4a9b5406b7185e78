// Compares Pawl's slots around changes of the UTC offset with two libraries for cron expressions.
//
//   node compare.mjs PROGRAM    where PROGRAM is tests/cron_slots
//
// 1. With a model of Vixie cron: a library computes, in UTC, which times of the day an expression names; the model
//    steps the local time of the zone (Intl) minute by minute through the change, by the rules of cron(8). Pawl must
//    agree with the model in every case, for each rule of `dst`.
// 2. With the results of the libraries in the zone itself. They deviate from Vixie's rules by design or by mistake:
//    `deviations` lists where. An unlisted difference fails, and so does a listed deviation that never occurs.
import { spawnSync } from "node:child_process";

import { changesOf, minutesAround } from "./clock.mjs";
import { deviationOf, deviations } from "./deviations.mjs";
import { dayTimesOf, libraries } from "./libraries.mjs";
import { isWildcard, slotsOfModel } from "./vixie.mjs";

const program = process.argv[2];
if (!program) throw new Error("usage: node compare.mjs PROGRAM");

const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago",
  "Asia/Beirut", "America/Havana", "Antarctica/Troll", "Europe/London", "Africa/Casablanca", "Asia/Tehran",
  "America/Sao_Paulo", "Pacific/Auckland"];
const expressions = ["* * * * *", "*/15 * * * *", "0 * * * *", "30 * * * *", "7,37 * * * *", "*/20 0-3 * * *",
  "*/30 2 * * *", "*/30 0 * * *", "15 */2 * * *", "0 */3 * * *", "5 0-23 * * *", "@hourly", "30 2 * * *",
  "30 1 * * *", "15 0 * * *", "0 0 * * *", "@daily", "0 2 * * *", "0 3 * * *", "15,45 0-3 * * *", "10,40 2 * * *",
  "0 1-5 * * SUN", "0 0 1 * *", "45 23 * * *", "0 12 * * MON-FRI", "30 2 * * SUN"];
const rules = [];
for (const gap of ["shift", "skip"]) for (const fold of ["first", "last", "both"]) rules.push({ gap, fold });

const kHour = 3600;
const first = Date.UTC(2020, 0, 1) / 1000;
const last = Date.UTC(2027, 0, 1) / 1000;

function allCases() {
  const cases = [];
  for (const zone of zones)
    for (const change of changesOf(zone, first, last))
      for (const expression of expressions) {
        const isWild = isWildcard(expression);
        const [before, after] = isWild ? [3, 4] : [6, 26];
        for (const dst of isWild ? rules.slice(0, 1) : rules)
          cases.push({ zone, change, expression, dst, from: change.at - before * kHour, to: change.at + after * kHour });
      }
  return cases;
}

// Pawl's answer for each case: the end of the zone's offset, that offset and the next one, and the slots.
function askPawl(cases) {
  const lines = cases.map((one) => [one.expression, one.zone, one.from, one.to, one.dst.gap, one.dst.fold].join("\t"));
  const done = spawnSync(program, { input: lines.join("\n") + "\n", maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr}`);
  return done.stdout.toString().trimEnd().split("\n").map((line) => {
    if (line === "refused") throw new Error("Pawl refuses an expression or a zone of this test");
    const [end, before, after, ...slots] = line.trim().split(" ").map(Number);
    return { end, before, after, slots };
  });
}

const same = (one, other) => one.length === other.length && one.every((slot, i) => slot === other[i]);
const text = (slots) => slots.map((slot) => new Date(slot * 1000).toISOString().slice(5, 16)).join(" ");

function main() {
  const cases = allCases();
  const answers = askPawl(cases);
  const faults = [];
  const tally = { compared: 0, otherRules: 0, model: 0, modelDiffers: 0 };
  const seen = new Map(deviations.map((one) => [one.name, 0]));
  for (const library of libraries) tally[library.name] = { same: 0, listed: 0, unlisted: 0 };

  cases.forEach((one, i) => {
    const pawl = answers[i];
    // Node.js has its own time zone rules, which may be older than those of the machine.
    if (pawl.end !== one.change.at || pawl.before !== one.change.before || pawl.after !== one.change.after) {
      tally.otherRules += 1;
      return;
    }
    tally.compared += 1;
    const minutes = minutesAround(one.zone, one.from, one.to, one.change);
    for (const library of libraries) {
      const model = slotsOfModel(one, minutes, dayTimesOf(library, one.expression, minutes));
      if (same(pawl.slots, model)) tally.model += 1;
      else {
        tally.modelDiffers += 1;
        faults.push(`model (${library.name}): ${one.expression} in ${one.zone}, gap ${one.dst.gap}, fold ${one.dst.fold}: ` +
          `Pawl ${text(pawl.slots)}; model ${text(model)}`);
      }
    }
    if (one.dst.gap !== "shift" || one.dst.fold !== "first") return;
    for (const library of libraries) {
      const found = library.slots(one.expression, one.zone, one.from, one.to);
      const count = tally[library.name];
      if (found && same(pawl.slots, found)) {
        count.same += 1;
        continue;
      }
      const deviation = deviationOf(library.name, one, found);
      if (deviation) {
        seen.set(deviation.name, seen.get(deviation.name) + 1);
        count.listed += 1;
      } else {
        count.unlisted += 1;
        faults.push(`${library.name}: ${one.expression} in ${one.zone}: Pawl ${text(pawl.slots)}; ` +
          `${library.name} ${found ? text(found) : "fails"}`);
      }
    }
  });

  console.log(`${cases.length} cases, ${tally.compared} compared, ${tally.otherRules} where Node.js has other rules for the zone`);
  console.log(`model of Vixie cron: ${tally.model} agree, ${tally.modelDiffers} differ`);
  for (const { name } of libraries)
    console.log(`${name}: ${tally[name].same} agree, ${tally[name].listed} listed deviations, ${tally[name].unlisted} others`);
  for (const { name, reason } of deviations) console.log(`  ${String(seen.get(name)).padStart(5)}  ${name}: ${reason}`);
  for (const [name, count] of seen) if (count === 0) faults.push(`the deviation "${name}" did not occur: take it off the list`);
  if (tally.compared < cases.length / 2) faults.push("too few cases were compared");
  for (const fault of faults.slice(0, 20)) console.error(fault);
  if (faults.length > 0) {
    console.error(`${faults.length} differences`);
    process.exitCode = 1;
  }
}

main();
