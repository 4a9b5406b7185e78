// User content stays text: no script runs and no page breaks, for five hundred strings in every field. Accessibility:
// axe-core finds no serious problem on any page, light and dark.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { hostileStrings } from "./hostile_strings.mjs";
import { openBrowser, openPage, startPawl, until } from "./support.mjs";

const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const pages = ["overview", "tasks", "dead-letters", "queues", "workers", "runs", "schedules", "definitions"];

let pawl;
let browser;

before(async () => {
  pawl = await startPawl();
  browser = await openBrowser();
  await fill();
});

after(async () => {
  await browser?.close();
  await pawl?.stop();
});

// Every string in every field of a task; every tenth also as a queue, a worker and a dead letter.
async function fill() {
  const tasks = hostileStrings.map((text, n) => ({
    type: text,
    queue: n % 25 === 0 ? text : "default",
    key: text,
    payload: { [text]: text },
    labels: { [text.slice(0, 40) || "a"]: text },
    retry: { max_attempts: 1 },
  }));
  await pawl.ask("POST", "/v1/default/tasks/batch", { tasks });
  for (const text of hostileStrings.slice(0, 40)) {
    await pawl.ask("POST", "/v1/default/workers", {
      hostname: text,
      queues: [text],
      task_types: [text],
      version: text,
      labels: { a: text },
    });
  }
  await fillRuns();
  await fillSchedules();
  const worker_id = "hostile";
  const { tasks: claimed } = await pawl.ask("POST", "/v1/default/tasks/claim", { worker_id, max: 450 });
  const reports = claimed.map((task) => ({
    task_id: task.id,
    fence: task.lease.fence,
    action: "fail",
    error: { code: task.type, message: `${task.type} <script>alert(1)</script>` },
  }));
  await pawl.ask("POST", "/v1/default/tasks/report", { worker_id, reports });
}

// Every string as the key, label and input of a run; some as names of workflows, and many as tasks of one graph.
async function fillRuns() {
  const unique = [...new Set(hostileStrings)];
  const queue = "nobody";
  const put = (name, tasks) => pawl.ask("PUT", `/v1/default/definitions/${encodeURIComponent(name)}`, { tasks });
  const start = (name, body) => pawl.ask("POST", `/v1/default/workflows/${encodeURIComponent(name)}/start`, body);
  await put("plain", [{ id: "only", activity: "none", queue }]);
  for (let from = 0; from < unique.length; from += 50) {
    const some = unique.slice(from, from + 50);
    await Promise.all(
      some.map((text) => start("plain", { run_key: text, input: { [text]: text }, labels: { a: text } })),
    );
  }
  for (const name of unique.slice(0, 20)) {
    await put(name, [
      { id: name, activity: name, queue },
      { id: "wait", type: "signal", signal: name },
    ]);
    await start(name, { input: name });
  }
  await put(
    "graph",
    unique.slice(0, 200).map((id, n, all) => ({ id, activity: id, queue, after: n < 20 ? [] : [all[n - 20]] })),
  );
  const { run } = await start("graph", {});
  pages.push(`runs/${run.id}`, "definitions/graph", `definitions/${encodeURIComponent(unique[1])}`);
}

// Many strings as the names of schedules, with their jobs; a skipped firing carries its reason.
async function fillSchedules() {
  const names = [...new Set(hostileStrings)].slice(0, 60);
  for (const [n, text] of names.entries()) {
    const target =
      n % 2 === 0
        ? { workflow: text, input: { [text]: text } }
        : { task: { type: text, payload: text, labels: { a: text } } };
    await pawl.ask("POST", "/v1/default/schedules", { name: text, cron: "0 3 * * *", ...target });
  }
  const name = encodeURIComponent(names[0]);
  await pawl.ask("POST", `/v1/default/schedules/${name}/trigger`);
  await until(
    async () => (await pawl.ask("GET", `/v1/default/schedules/${name}/firings`)).items.length > 0,
    "a firing",
  );
  pages.push(`schedules/${name}`, `schedules/${encodeURIComponent(names[1])}`);
}

async function isLive(page) {
  await until(async () => (await page.locator(".live.live").count()) === 1, "the stream");
}

async function layoutHolds(page) {
  return page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
}

async function seriousIn(page, name) {
  // The browser's interface for tools, so that the page's policy stays unchanged.
  const { violations } = await page.evaluate(`${axe}; axe.run({ resultTypes: ["violations"] })`);
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map((one) => `${name}: ${one.id} ${one.nodes[0].html}`);
}

for (const width of [1280, 400]) {
  test(`${hostileStrings.length} hostile strings harm no page that is ${width} wide`, async () => {
    const view = await openPage(browser, pawl.address, { width });
    for (const name of pages) {
      await view.go(name);
      await isLive(view.page);
      // Scrolls to the end of a long table, so that every row is rendered once.
      await view.page.evaluate(async () => {
        const table = document.querySelector(".table") ?? document.querySelector(".page");
        for (let top = 0; table && top < table.scrollHeight; top += table.clientHeight) {
          table.scrollTop = top;
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 5)));
        }
      });
      assert.ok(await layoutHolds(view.page), `${name} is wider than the window`);
    }
    const { items } = await pawl.ask("GET", "/v1/default/tasks?limit=40&order=asc");
    for (const task of items.filter((_, n) => n % 4 === 0)) {
      await view.go(`tasks/${task.id}`);
      await view.page.getByLabel("payload", { exact: true }).waitFor();
      assert.ok(await layoutHolds(view.page), `the task ${task.type} is wider than the window`);
    }
    assert.deepEqual(view.complaints, []);
    await view.close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing serious, ${colorScheme}`, async () => {
    const view = await openPage(browser, pawl.address, { colorScheme });
    const found = [];
    for (const name of pages) {
      await view.go(name);
      await isLive(view.page);
      found.push(...(await seriousIn(view.page, name)));
    }
    for (const [name, opens] of [
      ["schedules", "New schedule…"],
      [pages.find((one) => one.startsWith("schedules/")), "Backfill…"],
    ]) {
      await view.go(name);
      await view.page.getByRole("button", { name: opens }).click();
      found.push(...(await seriousIn(view.page, `${name}, ${opens}`)));
    }
    assert.deepEqual(found, []);
    await view.close();
  });
}
