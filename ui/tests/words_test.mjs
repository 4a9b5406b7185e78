// Texts for numbers, commands and names, in their edge cases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./support.mjs";

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

test("commands are about the namespace, if it is one", () => {
  assert.equal(commandsIn("default", "pawl task list"), "pawl task list");
  assert.equal(commandsIn("shop", "cat x\npawl task list"), "cat x\npawl task list --namespace shop");
  assert.equal(commandsIn("shop", "pawl token create --namespace '*'"), "pawl token create --namespace '*'");
  assert.equal(commandsIn("x; rm -rf", "pawl task list"), "pawl task list");
});

test("an action is never about more than was asked for", () => {
  assert.deepEqual(narrowed(undefined, ["failed"]), ["failed"]);
  assert.deepEqual(narrowed("failed,completed", ["failed", "dead_letter"]), ["failed"]);
  assert.deepEqual(narrowed("completed", ["failed"]), []);
});

test("a limit is a number, or empty, or refused", () => {
  const draft = { atOnce: "", starts: "", per: "1s", types: "" };
  assert.deepEqual(limitsFrom(draft), { max_concurrency: null, rate: null, type_concurrency: null });
  assert.deepEqual(limitsFrom({ ...draft, atOnce: " 7 ", starts: "5", types: "a=b=2" }), {
    max_concurrency: 7,
    rate: { limit: 5, per: "1s" },
    type_concurrency: { "a=b": 2 },
  });
  for (const wrong of ["1,000", "abc", "1.5", "1e3"]) {
    assert.throws(() => limitsFrom({ ...draft, atOnce: wrong }), /max_concurrency/);
    assert.throws(() => limitsFrom({ ...draft, starts: wrong }), /rate.limit/);
  }
  assert.throws(() => limitsFrom({ ...draft, types: "email.send=x" }), /email.send=x/);
  assert.throws(() => limitsFrom({ ...draft, types: "email.send" }), /type_concurrency/);
});
