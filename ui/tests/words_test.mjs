// Texts for numbers, commands and names, in their edge cases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./support.mjs";
import { uiStrings } from "./ui_strings.mjs";

const { attemptsInWords, commandsIn, shortInTheMiddle } = await importSource("text/format.ts");
const { shortNames } = await importSource("text/short_names.ts");
const { narrowed } = await importSource("parts/bulk_filter.ts");
const { limitsFrom } = await importSource("pages/queues/limits.ts");

test("a maximum below the attempts is not shown", () => {
  const words = { of: " of ", any: "any number" };
  assert.equal(attemptsInWords(1, 4, words), "1 of 4");
  assert.equal(attemptsInWords(2, 1, words), "2");
  assert.equal(attemptsInWords(9, -1, words), "9 of any number");
});

test("long names keep their ends", () => {
  assert.equal(shortInTheMiddle("short", 10), "short");
  assert.equal(shortInTheMiddle("task-number-1-of-the-run", 11), "task-…e-run");
  assert.equal(Array.from(shortInTheMiddle("😀".repeat(30), 11)).length, 11);
});

test("long names of one graph can be told apart", () => {
  const names = ["first", ...[1, 2, 10].map((n) => `task-number-${n}-with-a-long-name`)];
  assert.deepEqual(
    [...shortNames(names, 15).values()],
    ["first", "task-n…1…g-name", "task-n…2…g-name", "task-n…10…-name"],
  );
  assert.deepEqual([...shortNames(["a-single-long-name-of-a-task"], 15).values()], ["a-singl…-a-task"]);
});

test("commands name the namespace if it is valid", () => {
  assert.equal(commandsIn("default", "pawl task list"), "pawl task list");
  assert.equal(commandsIn("shop", "cat x\npawl task list"), "cat x\npawl task list --namespace shop");
  assert.equal(commandsIn("shop", "pawl token create --namespace '*'"), "pawl token create --namespace '*'");
  assert.equal(commandsIn("x; rm -rf", "pawl task list"), "pawl task list");
});

test("an action never exceeds the requested states", () => {
  assert.deepEqual(narrowed(undefined, ["failed"]), ["failed"]);
  assert.deepEqual(narrowed("failed,completed", ["failed", "dead_letter"]), ["failed"]);
  assert.deepEqual(narrowed("completed", ["failed"]), []);
});

test("a limit is a number, empty, or rejected", () => {
  const draft = { concurrency: "", rateLimit: "", per: "1s", types: "" };
  assert.deepEqual(limitsFrom(draft), { max_concurrency: null, rate: null, type_concurrency: null });
  assert.deepEqual(limitsFrom({ ...draft, concurrency: " 7 ", rateLimit: "5", types: "a=b=2" }), {
    max_concurrency: 7,
    rate: { limit: 5, per: "1s" },
    type_concurrency: { "a=b": 2 },
  });
  for (const wrong of ["1,000", "abc", "1.5", "1e3"]) {
    assert.throws(() => limitsFrom({ ...draft, concurrency: wrong }), /max_concurrency/);
    assert.throws(() => limitsFrom({ ...draft, rateLimit: wrong }), /rate.limit/);
  }
  assert.throws(() => limitsFrom({ ...draft, types: "email.send=x" }), /email.send=x/);
  assert.throws(() => limitsFrom({ ...draft, types: "email.send" }), /type_concurrency/);
});

// Phrases that a label, message or hint must not contain, with their replacements. Extend the list in reviews.
const banned = [
  [/\b(who|whom|whoever|whose|somebody|nobody|strangers?)\b/i, "name the actor: the client, the worker, the token"],
  [/\b(is|are) (told|asked)\b/i, "is notified, is requested"],
  [/\bat once\b/i, "concurrency, immediately or concurrently"],
  [/\b(by itself|by themselves)\b/i, "automatically or independently"],
  [/\bas it (is|was|says|stands)\b/i, "the latest state, the state after event N, unchanged, the default"],
  [/\b(what|that which) (is|was|it|runs|ran|did|failed|completed|matched)\b/i, "name the object: the failed step"],
  [/\b(goes|go|gone) on\b/i, "continues, resumed"],
  [/\bonce more\b|\bagain and again\b/i, "again, repeatedly"],
  [/\btaken up\b/i, "retried, resumed; or: this cannot be undone"],
  [/\bstays? as\b/i, "does not change"],
  [/\b(handed|given) (out|up)\b/i, "claimed, skipped"],
  [/\bsign of life\b/i, "heartbeat"],
  [/\b(to|none|one) comes?\b|\bhas come\b|\bhad come\b/i, "upcoming, fired, connects"],
  [/\ba second\b(?! start)/i, "per second, /s"],
  [/\bfor good\b/i, "permanently"],
  [/\bnothing (more|has|new)\b/i, "no tasks"],
  [/\bthere is (none|no such)\b|\bwas there already\b/i, "not found, already exists"],
  [/\bmay be left empty\b/i, "(optional)"],
  [/\byour time\b/i, "local time"],
  [/\b(undoes|undone by)\b/i, "compensation"],
  [/\bholds nothing\b|\bleave it\b/i, "Idle, Cancel"],
  [/\b(mend|mended|in vain|unhurried|all the same)\b/i, "fix, without effect, at a bounded rate, anyway"],
];

test("texts use the words that users know", () => {
  const found = uiStrings().flatMap(({ place, text }) =>
    banned.filter(([phrase]) => phrase.test(text)).map(([, instead]) => `${place}: "${text}" (instead: ${instead})`),
  );
  assert.deepEqual(found, []);
});

test("the check of texts finds labels, messages and templates", () => {
  const texts = uiStrings().map(({ text }) => text);
  for (const text of ["Idempotency key (optional)", "Jump to latest", "Hasn’t run yet", "active tasks"]) {
    assert.ok(
      texts.some((one) => one.includes(text)),
      text,
    );
  }
});
