// Schedules in a real browser: one is created in the page and fires, and all of its actions work.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, startPawl, until } from "./support.mjs";

let pawl;
let browser;
let view;

before(async () => {
  pawl = await startPawl({ "ok.*": "cat" });
  browser = await openBrowser();
  view = await openPage(browser, pawl.address);
  await pawl.ask("PUT", "/v1/default/definitions/report", { tasks: [{ id: "only", activity: "ok.report" }] });
});

after(async () => {
  await browser?.close();
  await pawl?.stop();
});

const button = (name) => view.page.getByRole("button", { name, exact: true });
const complaint = (text) => view.page.getByRole("alert").filter({ hasText: text });
const scheduleOf = (name) => pawl.ask("GET", `/v1/default/schedules/${name}`);
const firingsOf = async (name) => (await pawl.ask("GET", `/v1/default/schedules/${name}/firings?limit=500`)).items;

test("a server without schedules teaches the first command", async () => {
  await view.go("schedules");
  await view.page.getByText("pawl schedule create").waitFor();
});

test("errors are shown at their fields, and no schedule is created", async () => {
  await button("New schedule…").click();
  await view.page.getByLabel("Name", { exact: true }).fill("ticking");
  await view.page.getByLabel("Cron", { exact: true }).fill("61 * * * *");
  await view.page.getByLabel("Workflow", { exact: true }).fill("report");
  await button("Create schedule").click();
  await complaint(/^cron .*61/).waitFor();
  assert.equal(await view.page.getByLabel("Cron", { exact: true }).getAttribute("aria-invalid"), "true");
  await view.page.getByLabel("Cron", { exact: true }).fill("*/2 * * * * *");
  await view.page.getByText("Every 2 seconds").waitFor();
  await view.page.getByLabel("Time zone", { exact: true }).fill("Mars/Olympus");
  await button("Create schedule").click();
  await complaint(/^timezone /).waitFor();
  assert.deepEqual((await pawl.ask("GET", "/v1/default/schedules")).items, []);
});

test("a schedule is created in the page, and its firings are shown", async () => {
  await view.page.getByLabel("Time zone", { exact: true }).fill("Europe/Berlin");
  await view.page.getByLabel("Input", { exact: true }).fill('{"big":12345678901234567890}');
  await button("Create schedule").click();
  await view.page.getByRole("heading", { name: "Schedule ticking" }).waitFor();
  await view.page.getByText("Europe/Berlin time").waitFor();
  const firings = view.page.getByRole("table", { name: "Firings" });
  await firings.locator('[data-state="fired"]').first().waitFor();
  await view.page.locator(".calendar .cell-now").waitFor();
  assert.equal(
    await view.page.getByLabel("input", { exact: true }).textContent(),
    '{\n  "big": 12345678901234567890\n}',
  );
  // The started task is one click away.
  await firings.getByRole("link").first().click();
  await view.page.getByRole("heading", { name: "report" }).first().waitFor();
  await view.page.locator('[data-state="completed"]').first().waitFor();
});

test("a schedule is paused and resumed, and the slots of the pause are skipped with that reason", async () => {
  await view.go("schedules/ticking");
  await button("Pause").click();
  await button("Resume").waitFor();
  assert.equal((await scheduleOf("ticking")).enabled, false);
  const last = Date.parse((await scheduleOf("ticking")).last_fired_at);
  await until(() => Date.now() > last + 5000, "two slots of the pause");
  await button("Resume").click();
  const skipped = view.page.getByRole("table", { name: "Firings" }).locator('[data-state="skipped"]');
  await skipped.first().waitFor();
  assert.ok((await firingsOf("ticking")).some((firing) => firing.status === "skipped" && /pause/.test(firing.reason)));
  await view.page
    .getByRole("table", { name: "Firings" })
    .getByText(/paused/)
    .first()
    .waitFor();
});

test("a schedule is edited, and only changed fields are sent", async () => {
  await button("Edit…").click();
  await view.page.getByLabel("Cron", { exact: true }).fill("0 3 * * MON-FRI");
  await view.page.getByText("At 03:00 on Monday to Friday").waitFor();
  const sent = view.page.waitForRequest((request) => request.method() === "PATCH");
  await button("Save").click();
  assert.deepEqual((await sent).postDataJSON(), { cron: "0 3 * * MON-FRI" });
  await view.page.getByText("At 03:00 on Monday to Friday").waitFor();
  assert.equal((await scheduleOf("ticking")).timezone, "Europe/Berlin");
});

test("the calendar shows upcoming slots in the time zone of the schedule", async () => {
  const { times } = await pawl.ask("GET", "/v1/default/schedules/ticking/next?count=3");
  const strip = view.page.getByRole("list", { name: "Slots per day, in Europe/Berlin" });
  await strip.getByText("03:00").first().waitFor();
  assert.ok((await strip.getByText("03:00").count()) >= times.length);
});

test("a trigger shows its target and starts it", async () => {
  const before = (await firingsOf("ticking")).filter((firing) => firing.origin === "trigger").length;
  await button("Trigger…").click();
  await view.page.getByText("The workflow report is started now").waitFor();
  await button("Trigger now").click();
  const fired = await until(
    async () => (await firingsOf("ticking")).find((one) => one.origin === "trigger" && one.run_id),
    "a firing",
  );
  assert.equal(before, 0);
  assert.equal((await pawl.ask("GET", `/v1/default/runs/${fired.run_id}`)).workflow, "report");
});

test("a backfill shows how many slots there are, then fires them", async () => {
  await pawl.ask("POST", "/v1/default/schedules", { name: "hourly", cron: "@hourly", task: { type: "ok.probe" } });
  await view.go("schedules/hourly");
  await view.page.getByText("Every hour, on the hour").waitFor();
  await button("Backfill…").click();
  await button("Fire 168 slots").waitFor();
  await view.page.getByLabel("To (local time)").fill("2999-01-01T00:00");
  await view.page.getByText("must not be in the future").waitFor();
  await view.page.getByLabel("From (local time)").fill("2026-01-01T00:00");
  await view.page.getByLabel("To (local time)").fill("2026-01-01T03:00");
  await button("Fire 3 slots").click();
  const done = async () =>
    (await firingsOf("hourly")).filter((firing) => firing.origin === "backfill" && firing.task_id).length === 3;
  await until(done, "three firings");
  assert.equal((await pawl.ask("GET", "/v1/default/tasks?type=ok.probe")).items.length, 3);
});

test("a backfill shows which slots are new", async () => {
  await button("Backfill…").click();
  await view.page.getByLabel("From (local time)").fill("2026-01-01T01:00");
  await view.page.getByLabel("To (local time)").fill("2026-01-01T03:00");
  await view.page.getByText("All of them already fired or were skipped").waitFor();
  assert.ok(await button("Fire 0 new slots").isDisabled());
  await view.page.getByLabel("To (local time)").fill("2026-01-01T04:00");
  await view.page.getByText("2 already fired or were skipped").waitFor();
  await view.page.getByLabel("To (local time)").press("Enter");
  await view.page.getByText("Backfilling 1 slot of hourly; 2 already fired or were skipped").waitFor();
});

test("the list shows that the slots of a schedule are skipped", async () => {
  await pawl.ask("PUT", "/v1/default/definitions/long", { tasks: [{ id: "nap", type: "sleep", duration: "1h" }] });
  await pawl.ask("POST", "/v1/default/schedules", { name: "stuck", every: "1s", overlap: "skip", workflow: "long" });
  await view.go("schedules");
  const row = view.page.locator(".row").filter({ has: view.page.getByRole("link", { name: "stuck" }) });
  await row.locator('[data-state="skipped"]').waitFor();
  await pawl.ask("DELETE", "/v1/default/schedules/stuck");
});

test("on a phone an invalid field is scrolled into view", async () => {
  const phone = await openPage(browser, pawl.address, { width: 400, height: 500 });
  await phone.go("schedules");
  await phone.page.getByRole("button", { name: "New schedule…" }).click();
  await phone.page.getByLabel("Name", { exact: true }).fill("wrong");
  await phone.page.getByLabel("Workflow", { exact: true }).fill("report");
  await phone.page.getByLabel("Cron", { exact: true }).fill("61 * * * *");
  await phone.page.getByLabel("Maximum jitter").press("Enter"); // far below
  await phone.page
    .getByRole("alert")
    .filter({ hasText: /^cron / })
    .waitFor();
  const box = await until(async () => {
    const { y } = await phone.page.getByLabel("Cron", { exact: true }).boundingBox();
    return y > 0 && y < 500;
  }, "the visible field");
  assert.ok(box);
  assert.ok(await phone.page.getByLabel("Cron", { exact: true }).evaluate((field) => field === document.activeElement));
  const place = await phone.page.locator(".place.here").boundingBox();
  assert.ok(place.x >= 0 && place.x + place.width <= 400, "the current page in the navigation");
  await phone.close();
});

test("the list shows all schedules, the search finds one by name, and it is deleted", async () => {
  await view.go("schedules");
  await view.page.getByRole("link", { name: "hourly" }).waitFor();
  await view.page.keyboard.press("/");
  await view.page.keyboard.type("ticking");
  await view.page.getByRole("option", { name: "schedule ticking" }).click();
  await view.page.getByRole("heading", { name: "Schedule ticking" }).waitFor();
  await button("Delete…").click();
  await button("Delete schedule").click();
  await view.page.getByRole("heading", { name: "Schedules" }).waitFor();
  await until(
    async () => (await view.page.getByRole("link", { name: "ticking" }).count()) === 0,
    "its row to disappear",
  );
  assert.equal((await pawl.ask("GET", "/v1/default/schedules")).items.length, 1);
});

test("the browser reported no errors", () => assert.deepEqual(view.complaints, []));
