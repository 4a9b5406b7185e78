// Protection of users: actions never exceed what is shown, limits and scroll positions are not lost, refusals are
// shown, and the page shows the state that it claims to show.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, startPawl, until } from "./support.mjs";

let pawl;
let browser;
let view;

before(async () => {
  pawl = await startPawl({ "ok.*": "cat", "bad.*": "echo broken >&2; exit 1" });
  browser = await openBrowser();
  view = await openPage(browser, pawl.address);
});

after(async () => {
  await browser?.close();
  await pawl?.stop();
});

const button = (name) => view.page.getByRole("button", { name, exact: true });
const dialog = () => view.page.getByRole("dialog");
const focused = () => view.page.evaluate(() => document.activeElement?.textContent?.slice(0, 60) ?? "");
const enqueue = (tasks) => pawl.ask("POST", "/v1/default/tasks/batch", { tasks });
const tasksOf = async (query) => (await pawl.ask("GET", `/v1/default/tasks?limit=500&${query}`)).items;
const start = async (workflow, body = {}) =>
  (await pawl.ask("POST", `/v1/default/workflows/${workflow}/start`, body)).run;

test("an action by filter never goes beyond the filter", async () => {
  await enqueue([
    { type: "idle.one", queue: "nobody" },
    { type: "idle.two", queue: "nobody" },
  ]);
  await view.go("tasks?status=completed,failed");
  await button("Cancel by filter…").click();
  await dialog().getByText("0 tasks match now.").waitFor();
  await dialog()
    .getByText(/^Only pending/)
    .waitFor();
  assert.ok(await button("Cancel 0").isDisabled());
  await view.page.keyboard.press("Escape");
  await view.go("runs?state=completed");
  await button("Retry by filter…").click();
  await dialog().getByText("0 runs match now.").waitFor();
  assert.ok(await button("Retry 0").isDisabled());
  await view.page.keyboard.press("Escape");
  assert.equal((await tasksOf("status=pending&queue=nobody")).length, 2);
});

test("a limit that is not a number is rejected at its field, and no limit is lost", async () => {
  await pawl.ask("PUT", "/v1/default/queues/nobody", { max_concurrency: 7 });
  await view.go("queues");
  const open = view.page.getByRole("region", { name: "Queue nobody" }).getByRole("button", { name: "Limits…" });
  await open.click();
  const concurrency = view.page.getByLabel("Concurrency", { exact: true });
  for (const wrong of ["1,000", "abc", "1.5"]) {
    await concurrency.fill(wrong);
    await concurrency.press("Enter");
    await dialog().getByRole("alert").filter({ hasText: "max_concurrency must be a whole number" }).waitFor();
    assert.equal(await concurrency.getAttribute("aria-invalid"), "true");
  }
  await concurrency.fill("8");
  const types = view.page.getByLabel("Concurrency by type");
  await types.fill("email.send=x");
  await types.press("Enter");
  await dialog().getByRole("alert").filter({ hasText: "email.send=x" }).waitFor();
  await types.fill("email.send=3");
  await view.page.getByLabel("Rate limit").fill("5");
  const per = view.page.getByLabel("Per", { exact: true });
  await per.fill("often");
  await per.press("Enter");
  // The dialog also shows errors that only the server detects, and focuses their field.
  await dialog().getByRole("alert").filter({ hasText: "rate.per must be a duration" }).waitFor();
  assert.equal(await view.page.evaluate(() => document.activeElement?.value), "often");
  assert.equal(
    (await pawl.ask("GET", "/v1/default/queues")).items.find((queue) => queue.name === "nobody").max_concurrency,
    7,
  );
  await per.fill("1m");
  await per.press("Enter");
  await view.page.getByText("Limits: concurrency 8, concurrency of email.send 3, 5 tasks per 60s.").waitFor();
  assert.equal(await focused(), "Limits…");
});

test("closing a dialog returns the focus, and so does an action whose button disappears", async () => {
  await view.page.getByRole("region", { name: "Queue nobody" }).getByRole("button", { name: "Limits…" }).click();
  await dialog().getByRole("button", { name: "Close" }).click();
  assert.equal(await focused(), "Limits…");
  const [task] = await tasksOf("type=idle.one");
  await view.go(`tasks/${task.id}`);
  await button("Cancel…").click();
  await button("Keep the task").click();
  assert.equal((await pawl.ask("GET", `/v1/default/tasks/${task.id}`)).status, "pending");
  await button("Cancel…").click();
  await button("Cancel the task").click();
  await view.page.locator('.page-head [data-state="cancelled"]').waitFor();
  await until(() => view.page.evaluate(() => document.activeElement?.id === "page"), "the focus on the page");
});

test("rows far down are refreshed, and going back restores the position", async () => {
  await enqueue(
    Array.from({ length: 350 }, (_, n) => ({
      type: "idle.many",
      queue: "nobody",
      key: `key-${n}`,
      labels: { n: String(n) },
    })),
  );
  await view.go("tasks?type=idle.many");
  const table = view.page.getByRole("table", { name: "Tasks" });
  const row = (key) =>
    table.locator(".table-body .row").filter({ has: view.page.getByRole("cell", { name: key, exact: true }) });
  await row("key-349").waitFor();
  const scroll = () => table.evaluate((element) => element.scrollBy(0, 700));
  await until(async () => (await scroll(), await row("key-100").count()) === 1, "a row of the third page");
  const [wanted] = await tasksOf("type=idle.many&key=key-100");
  await pawl.ask("POST", `/v1/default/tasks/${wanted.id}/cancel`, {});
  await row("key-100").locator('[data-state="cancelled"]').waitFor();
  await row("key-100").scrollIntoViewIfNeeded();
  const top = await table.evaluate((element) => element.scrollTop);
  await row("key-100").getByRole("link").click();
  await view.page.getByRole("heading", { name: "Task idle.many" }).waitFor();
  await view.page.goBack();
  await row("key-100").waitFor();
  assert.ok(Math.abs((await table.evaluate((element) => element.scrollTop)) - top) < 40);
});

test("j, k and Enter work without a focused element", async () => {
  await view.go("overview");
  await view.go("tasks?type=idle.many");
  await view.page.getByRole("cell", { name: "key-349", exact: true }).waitFor();
  await view.page.evaluate(() => document.activeElement?.blur());
  for (const key of ["j", "j", "j", "k"]) await view.page.keyboard.press(key);
  const chosen = view.page.locator(".row.chosen");
  assert.match(await chosen.textContent(), /key-348/);
  await view.page.getByRole("table").focus();
  await view.page.keyboard.press("Enter");
  await view.page.getByRole("heading", { name: "Task idle.many" }).waitFor();
  await until(() => view.page.evaluate(() => document.activeElement?.id === "page"), "the focus on the page");
});

test("a text is searched beyond the first page, and the page shows how many rows it searched", async () => {
  await pawl.ask("PUT", "/v1/default/definitions/quiet", {
    tasks: [{ id: "wait", activity: "idle.quiet", queue: "nobody" }],
  });
  await start("quiet", { run_key: "needle-1" });
  for (let from = 0; from < 250; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, n) => start("quiet", { run_key: `hay-${from + n}` })));
  await view.go("runs?text=needle");
  await view.page.getByRole("cell", { name: "needle-1" }).waitFor();
  await view.page.getByText("Searched all 251 runs that match the other filters: 1 contains the text.").waitFor();
  await view.go("runs?text=nobodyhasthis");
  await view.page.getByText("No runs match these filters").waitFor();
  assert.equal(await view.page.getByText("pawl run start").count(), 0);
});

test("the search selects by arrow keys, finds queues, and shows errors", async () => {
  await enqueue([1, 2, 3].map((n) => ({ type: `idle.found${n}`, queue: "nobody", key: "thrice" })));
  await view.go("overview");
  const field = view.page.getByLabel("Search by ID, key or name");
  await field.fill("thrice");
  await view.page.getByRole("option").nth(2).waitFor();
  const second = await view.page.getByRole("option").nth(1).textContent();
  await field.press("ArrowDown");
  assert.equal(await view.page.locator('[role="option"][aria-selected="true"]').textContent(), second);
  await field.press("Enter");
  await view.page.getByRole("heading", { name: /Task idle.found/ }).waitFor();
  assert.match(second, new RegExp((await view.page.locator("h1").textContent()).replace("Task ", "")));
  await field.fill("nobody");
  await view.page.getByRole("option", { name: /queue nobody/ }).click();
  await until(
    () => view.page.evaluate(() => document.activeElement?.getAttribute("aria-label") === "Queue nobody"),
    "the queue",
  );
  const [worker] = (await pawl.ask("GET", "/v1/default/workers")).items;
  await field.fill(worker.worker_id);
  await view.page.getByRole("option", { name: /worker on/ }).waitFor();
  await view.page.route("**/v1/default/workers?*", (route) =>
    route.fulfill({ status: 429, json: { code: "resource_exhausted", detail: "too many requests" } }),
  );
  await field.fill("whatever");
  await view.page.getByRole("search").getByRole("alert").filter({ hasText: "too many requests" }).waitFor();
  await view.page.unrouteAll();
  await field.press("Escape");
});

test("dead letters of runs are retried with their runs, and each group has its own name", async () => {
  await pawl.ask("PUT", "/v1/default/definitions/frail", {
    on_failure: "fail",
    tasks: [{ id: "only", activity: "bad.step", retry: { max_attempts: 1 } }],
  });
  const runs = [await start("frail"), await start("frail")];
  await enqueue([{ type: "bad.step", retry: { max_attempts: 1 } }]);
  await until(async () => (await tasksOf("type=bad.step&status=dead_letter")).length === 3, "three dead letters");
  await view.go("dead-letters");
  const group = view.page.getByRole("region", { name: "exit_1 of bad.step: broken" });
  await group.getByRole("button", { name: "Redrive all 1" }).waitFor();
  await group.getByRole("button", { name: "Retry 2 runs" }).click();
  await button("Retry 2 runs").last().click();
  await view.page.getByText("2 runs retried").waitFor();
  const retried = async (run) =>
    (await pawl.ask("GET", `/v1/default/runs/${run.id}/events`)).items.some(
      (event) => event.type === "workflow_retried",
    );
  for (const run of runs) await until(() => retried(run), "the retry of a run");
  const dead = await until(
    async () => (await tasksOf(`run_id=${runs[0].id}&status=dead_letter`))[0],
    "it to fail again",
  );
  await view.go(`tasks/${dead.id}`);
  await view.page.getByRole("link", { name: "Retry the run…" }).click();
  await until(() => view.page.url().endsWith(runs[0].id), "the page of the run");
  // By filter: nothing changes, and the dialog shows the reason.
  await view.go(`tasks?status=dead_letter&run_id=${runs[0].id}`);
  await button("Retry by filter…").click();
  await dialog()
    .getByRole("button", { name: /^Retry \d$/ })
    .click();
  await dialog()
    .getByText(/belong to runs.*Retry the runs/)
    .waitFor();
  await view.page.keyboard.press("Escape");
});

test("the graph works by keyboard, and the slider changes every part of the page", async () => {
  await pawl.ask("PUT", "/v1/default/definitions/two", {
    output: { $ref: "#/tasks/second/output" },
    tasks: [
      { id: "first", activity: "ok.first" },
      { id: "second", activity: "ok.second", after: ["first"] },
    ],
  });
  const run = await start("two", { input: { big: 1 }, deadline: "1h" });
  await view.go(`runs/${run.id}`);
  await view.page.locator('.node[data-node="second"][data-state="completed"]').waitFor();
  assert.doesNotMatch(await view.page.locator(".graph").evaluate((graph) => graph.textContent), /arrow keys|delete/i);
  await view.page.locator('.node[data-node="second"]').focus();
  await view.page.keyboard.press("Enter");
  const panel = view.page.getByRole("complementary", { name: "Task second" });
  await panel.getByText("attempt 1").waitFor();
  assert.doesNotMatch(await view.page.locator(".fact", { hasText: "Deadline" }).textContent(), /in \d/);
  // After the first two events the run is running, and the second task does not exist yet.
  await view.page.getByRole("slider").fill("2");
  await view.page.locator('.page-head [data-state="running"]').first().waitFor();
  await panel.locator('[data-state="blocked"]').waitFor();
  assert.equal(await panel.getByText("attempt 1").count(), 0);
  await panel.getByText("no output").waitFor();
  assert.equal(await view.page.locator(".fact", { hasText: "Finished" }).count(), 0);
  await view.page.getByRole("tab", { name: "Input and output" }).click();
  await view.page.getByRole("tabpanel").getByText("no output").waitFor();
  await button("Jump to latest").click();
  await view.page.getByLabel("output", { exact: true }).first().waitFor();
  await button("Close the task").click();
  assert.equal(await view.page.title(), `${run.id} · Runs · Pawl`);
});

test("a run that was created by a rewind links to its original", async () => {
  const [run] = (await pawl.ask("GET", "/v1/default/runs?workflow=two")).items;
  const made = await pawl.ask("POST", `/v1/default/runs/${run.id}/rewind`, { to: "second" });
  await view.go(`runs/${made.run.id}`);
  await view.page.locator(".fact", { hasText: "Rewound from" }).getByRole("link").click();
  await until(() => view.page.url().endsWith(run.id), "the run that it came from");
});

test("missing objects are reported, and commands name the current namespace", async () => {
  await view.go("definitions/two?version=99");
  await view.page.getByRole("alert").filter({ hasText: "not_found" }).waitFor();
  await view.page.goto(`${pawl.address}/#/Not-A-Name/overview`);
  await view.page.getByText("cannot be shown").waitFor();
  await view.page.getByRole("alert").filter({ hasText: "namespace" }).first().waitFor();
  await view.page.goto(`${pawl.address}/#/elsewhere/queues`);
  await view.page.getByText("--queue mail --namespace elsewhere").waitFor();
});

test("a missing role and a missing namespace are reported", async () => {
  const { token: admin } = await pawl.ask("POST", "/v1/admin/tokens", { role: "admin", namespaces: ["*"] });
  const viewer = { role: "viewer", namespaces: ["default"] };
  const { token } = await pawl.ask("POST", "/v1/admin/tokens", viewer, { Authorization: `Bearer ${admin}` });
  await view.page.goto(`${pawl.address}/#/default/queues`);
  await view.page.reload();
  await view.page.getByText("pawl token create --role admin --namespace '*'").waitFor();
  await view.page.getByLabel("Token").fill(token);
  await button("Sign in").click();
  const card = view.page.getByRole("region", { name: "Queue nobody" });
  await card.getByRole("button", { name: "Pause" }).click();
  await view.page
    .getByText("this needs the role operator, the token has viewer. Sign in with a token that has this permission")
    .waitFor();
  await view.page.getByLabel("namespace").fill("secret");
  await view.page.getByLabel("namespace").press("Enter");
  await view.page.getByText("The namespace secret cannot be shown").waitFor();
  for (const page of ["Overview", "Queues", "Tasks", "Workers"]) {
    await view.page.getByRole("navigation").getByText(page, { exact: true }).click();
    await view.page.getByRole("alert").filter({ hasText: "the token is not for secret" }).first().waitFor();
  }
});

test("the browser reported no errors", () => assert.deepEqual(view.complaints, []));
