// The dashboard in a real browser, against a real server and its worker.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, startPawl, until } from "./support.mjs";

let pawl;
let browser;
let view;

before(async () => {
  // A handler that fails until the file exists that it needs; the folder is the one with the server's data.
  pawl = await startPawl({
    "ok.*": "cat",
    "mail.*": "test -e mended || { echo account 4711 is unknown >&2; exit 1; }",
    "slow.*": "sleep 60",
  });
  browser = await openBrowser();
  view = await openPage(browser, pawl.address);
});

after(async () => {
  await browser?.close();
  await pawl?.stop();
});

const enqueue = (task) => pawl.ask("POST", "/v1/default/tasks", task);
const once = { max_attempts: 1 };

test("an empty server teaches the first command", async () => {
  await view.go("overview");
  await view.page.getByText("pawl task enqueue").first().waitFor();
});

test("the overview updates without a reload", async () => {
  await enqueue({ type: "ok.first", queue: "fresh" });
  await view.page.getByRole("link", { name: "fresh" }).waitFor();
  await view.page.getByText("leader, term").waitFor();
});

test("filters are part of the address, and a payload is shown byte for byte", async () => {
  const exact = '{"big":12345678901234567890,"one":1.0,"b":2,"a":1}';
  const made = await pawl.ask("POST", "/v1/default/tasks", `{"type":"ok.exact","payload":${exact},"key":"ada"}`);
  await view.go("tasks");
  await view.page.getByLabel("Type").fill("ok.exact");
  await view.page.getByLabel("Type").press("Enter");
  await until(() => view.page.url().includes("type=ok.exact"), "the filter in the address");
  await until(async () => (await view.page.getByRole("link", { name: "ok.exact" }).count()) === 1, "one row");
  await view.page.reload();
  await view.page.getByRole("link", { name: "ok.exact" }).click();
  const payload = view.page.getByLabel("payload", { exact: true });
  await payload.waitFor();
  assert.equal((await payload.textContent()).replaceAll(/\s/g, ""), exact);
  assert.ok(view.page.url().endsWith(made.task.id));
});

test("the search finds an id and a key", async () => {
  const { task } = await enqueue({ type: "ok.found", key: "order-7711" });
  await view.go("overview");
  await view.page.keyboard.press("/");
  await view.page.keyboard.type("order-7711");
  await view.page.getByText("task ok.found (matches key)").waitFor();
  await view.page.getByLabel("Search by ID, key or name").fill(task.id);
  await view.page.getByText("task ok.found").first().waitFor();
  await view.page.keyboard.press("Enter");
  await until(() => view.page.url().endsWith(task.id), "the task's page");
});

test("a group of dead letters is one row and is redriven together", async () => {
  for (const order of [1, 22, 333]) await enqueue({ type: "mail.order", payload: { order }, retry: once });
  await until(async () => (await list("status=dead_letter")).length === 3, "three dead letters");
  await view.go("dead-letters");
  const group = view.page.getByRole("region", { name: "exit_1 of mail.order" });
  await group.getByText("account ‹n› is unknown").waitFor();
  writeFileSync(join(pawl.folder, "mended"), "");
  await group.getByRole("button", { name: "Redrive all 3" }).click();
  await view.page.getByRole("button", { name: "Redrive 3", exact: true }).click();
  await until(async () => (await list("type=mail.order&status=completed")).length === 3, "three completed");
  await view.page.getByText("No dead letters").waitFor();
});

test("a queue is paused, stays paused, and is resumed", async () => {
  await view.go("queues");
  const card = view.page.getByRole("region", { name: "Queue default" });
  await card.getByRole("button", { name: "Pause" }).click();
  await card.getByRole("button", { name: "Resume" }).waitFor();
  const { task } = await enqueue({ type: "ok.later" });
  assert.equal((await pawl.ask("GET", `/v1/default/tasks/${task.id}`)).status, "pending");
  await card.getByRole("button", { name: "Resume" }).click();
  await until(async () => (await pawl.ask("GET", `/v1/default/tasks/${task.id}`)).status === "completed", "the task");
});

test("limits are set by a form, and an invalid one is rejected by name", async () => {
  await view.go("queues");
  await view.page.getByRole("region", { name: "Queue fresh" }).getByRole("button", { name: "Limits…" }).click();
  await view.page.getByLabel("Concurrency", { exact: true }).fill("-5");
  await view.page.getByRole("button", { name: "Save limits" }).click();
  await view.page.getByText(/max_concurrency/).waitFor();
  await view.page.getByLabel("Concurrency", { exact: true }).fill("7");
  await view.page.getByRole("button", { name: "Save limits" }).click();
  await view.page.getByText("Limits: concurrency 7").waitFor();
});

test("a worker shows its tasks, a task is cancelled, and the worker is drained", async () => {
  const { task } = await enqueue({ type: "slow.job" });
  await view.go("workers");
  await view.page.getByRole("cell", { name: "slow.job" }).waitFor();
  await view.go(`tasks/${task.id}`);
  await view.page.getByRole("button", { name: "Cancel…" }).click();
  await view.page.getByRole("button", { name: "Cancel the task" }).click();
  await view.page.getByText("cancelled", { exact: true }).first().waitFor({ timeout: 30_000 });
  await view.go("workers");
  await view.page.getByRole("button", { name: "Drain…" }).click();
  await view.page.getByRole("button", { name: "Drain the worker" }).click();
  await view.page.getByText("draining").first().waitFor();
});

test("tasks are cancelled by filter, beyond the page, with a count before", async () => {
  const tasks = Array.from({ length: 1200 }, (_, n) => ({ type: "bulk.one", queue: "bulk", labels: { n: String(n) } }));
  await pawl.ask("POST", "/v1/default/tasks/batch", { tasks });
  await view.go("tasks?type=bulk.one");
  await view.page.getByRole("button", { name: "Cancel by filter…" }).click();
  await view.page.getByRole("button", { name: "Cancel 1,200" }).click();
  await view.page.getByText("1,200 tasks changed.").waitFor();
  assert.equal((await list("type=bulk.one&status=pending")).length, 0);
});

test("a server with tokens requires one, and the page keeps it in memory only", async () => {
  const { token } = await pawl.ask("POST", "/v1/admin/tokens", { role: "admin", namespaces: ["*"] });
  await view.go("queues");
  await view.page.getByLabel("Token").fill("pawl_wrong");
  await view.page.getByRole("button", { name: "Sign in" }).click();
  await view.page.getByText("The token is invalid").waitFor();
  await view.page.getByLabel("Token").fill(token);
  await view.page.getByRole("button", { name: "Sign in" }).click();
  await view.page.getByRole("region", { name: "Queue default" }).waitFor();
  await until(async () => (await view.page.locator(".live.live").count()) === 1, "the stream with a token");
  const kept = await view.page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
  );
  assert.ok(!kept.includes(token), kept);
  await view.page.reload();
  await view.page.getByLabel("Token").waitFor();
});

test("the browser reported no errors", () => {
  assert.deepEqual(view.complaints, []);
  assert.ok(existsSync(pawl.folder));
});

async function list(query) {
  return (await pawl.ask("GET", `/v1/default/tasks?limit=500&${query}`)).items;
}
