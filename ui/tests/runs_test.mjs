// Runs in a real browser: a run progresses through its graph, fails, is repaired and continues; then back in time.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, startPawl, until } from "./support.mjs";

let pawl;
let browser;
let view;
let run; // used by most tests

const order = {
  on_failure: "fail",
  tasks: [
    { id: "reserve", activity: "work.reserve", compensate: "release" },
    { id: "charge", activity: "pay.charge", after: ["reserve"], retry: { max_attempts: 2, initial_interval: "100ms" } },
    { id: "approve", type: "signal", signal: "approved", after: ["charge"] },
    { id: "ship", activity: "work.ship", after: ["approve"], for_each: { $ref: "#/input/parcels" } },
    { id: "release", type: "compensation", activity: "work.release" },
  ],
};

before(async () => {
  pawl = await startPawl({
    "work.*": "cat",
    "never.*": "false",
    "pay.*": "test -e mended && cat || { echo card 4711 declined >&2; exit 1; }",
  });
  browser = await openBrowser();
  view = await openPage(browser, pawl.address);
  await pawl.ask("PUT", "/v1/default/definitions/order", order);
});

after(async () => {
  await browser?.close();
  await pawl?.stop();
});

const start = async (workflow, body) => (await pawl.ask("POST", `/v1/default/workflows/${workflow}/start`, body)).run;
const read = (id) => pawl.ask("GET", `/v1/default/runs/${id}`);
const node = (id, state) => view.page.locator(`.node[data-node="${id}"][data-state="${state}"]`);
const header = () => view.page.locator(".page-head").first();

test("a failing run is shown live, with the errors of its attempts", async () => {
  run = await start("order", { input: { parcels: [1, 2] }, run_key: "order-1", labels: { team: "red" } });
  await view.go(`runs/${run.id}`);
  await node("charge", "failed").waitFor();
  await node("reserve", "completed").waitFor();
  await header().getByText("failed").waitFor();
  await node("charge", "failed").click();
  const panel = view.page.getByRole("complementary", { name: "Task charge" });
  await panel.getByText("card 4711 declined").first().waitFor();
  await until(async () => (await panel.locator(".attempt-list li").count()) === 2, "two attempts");
});

test("a run is retried from the failed step without a reload", async () => {
  writeFileSync(join(pawl.folder, "mended"), "");
  await view.page.getByRole("button", { name: "Retry", exact: true }).click();
  await node("charge", "completed").waitFor();
  await node("approve", "waiting").waitFor();
});

test("a signal is sent once its payload is JSON, and the run ends", async () => {
  await view.page.getByRole("button", { name: "Signal…" }).click();
  assert.equal(await view.page.getByLabel("Name", { exact: true }).inputValue(), "approved");
  await view.page.getByRole("textbox", { name: "Payload" }).fill('{"ok": tru');
  await view.page.getByText(/Line 1:/).waitFor();
  assert.ok(await view.page.getByRole("button", { name: "Send" }).isDisabled());
  await view.page.getByRole("textbox", { name: "Payload" }).fill('{"ok": true, "big": 12345678901234567890}');
  await view.page.getByRole("button", { name: "Send" }).click();
  await node("ship", "completed").waitFor();
  await header().getByText("completed").waitFor();
  await node("approve", "completed").click();
  await view.page.getByText("12345678901234567890").first().waitFor();
});

test("the slider shows the same state as replay after each event", async () => {
  const { sequence } = await read(run.id);
  const slider = view.page.getByRole("slider");
  await until(async () => Number(await slider.getAttribute("max")) === sequence, "all events");
  for (let at = 1; at < sequence; at += 1) {
    await slider.fill(String(at));
    const { state } = await pawl.ask("GET", `/v1/default/runs/${run.id}/replay?up_to=${at}`);
    const shown = view.page.locator(`.replayed[data-sequence="${at}"] [data-state]`);
    await shown.waitFor();
    assert.equal(await shown.getAttribute("data-state"), state.state, `after event ${at}`);
  }
  await slider.fill("1");
  await node("charge", "blocked").waitFor();
  await view.page.getByRole("button", { name: "Jump to latest" }).click();
  await node("charge", "completed").waitFor();
});

test("the log is searched, and the timeline has a row for each task and item", async () => {
  await view.page.getByRole("tab", { name: /Events/ }).click();
  await view.page.getByLabel("Search the events").fill("signal_received");
  await view.page.getByText(/^1 of \d+$/).waitFor();
  await view.page.getByRole("tab", { name: "Timeline" }).click();
  for (const name of ["reserve", "charge", "approve", "ship[0]", "ship[1]"]) {
    await view.page.getByRole("button", { name, exact: true }).waitFor();
  }
});

test("a run is rewound to a step, paused, resumed and cancelled", async () => {
  await view.page.getByRole("tab", { name: "Graph" }).click();
  await node("charge", "completed").click();
  await view.page.getByRole("button", { name: "Rewind to charge…" }).click();
  await view.page.getByRole("button", { name: "Start new run" }).click();
  await until(() => !view.page.url().includes(run.id), "the page of the new run");
  await node("approve", "waiting").waitFor();
  await view.page.getByRole("button", { name: "Pause" }).click();
  await header().getByText("paused").waitFor();
  await view.page.getByRole("button", { name: "Resume" }).click();
  await header().getByText("sleeping").waitFor();
  await view.page.getByRole("button", { name: "Cancel…" }).click();
  await view.page.getByText("This cannot be undone.").waitFor();
  await view.page.getByRole("button", { name: "Cancel the run" }).click();
  await header().getByText("cancelled").waitFor();
});

test("completed tasks are compensated, and the graph shows it", async () => {
  await pawl.ask("PUT", "/v1/default/definitions/saga", {
    tasks: [
      { id: "book", activity: "work.book", compensate: "unbook" },
      { id: "fly", activity: "never.fly", after: ["book"], retry: { max_attempts: 1 } },
      { id: "unbook", type: "compensation", activity: "work.unbook" },
    ],
  });
  const saga = await start("saga", {});
  await view.go(`runs/${saga.id}`);
  await node("unbook", "completed").waitFor();
  await header().getByText("compensated").waitFor();
  await view.page.locator(".undo-edge").waitFor({ state: "attached" });
});

test("retrying runs have a separate filter", async () => {
  await pawl.ask("PUT", "/v1/default/definitions/patient", {
    tasks: [
      { id: "wait", activity: "none.wait", queue: "nobody", retry: { max_attempts: 5, initial_interval: "10m" } },
    ],
  });
  const patient = await start("patient", {});
  const claimed = await until(async () => {
    const claim = { worker_id: "w", queues: ["nobody"] };
    return (await pawl.ask("POST", "/v1/default/tasks/claim", claim)).tasks[0];
  }, "the task");
  const failed = { worker_id: "w", fence: claimed.lease.fence, error: { code: "busy", message: "later" } };
  await pawl.ask("POST", `/v1/default/tasks/${claimed.id}/fail`, failed);
  await view.go("runs?state=retrying");
  await view.page.getByRole("link", { name: "patient" }).waitFor();
  assert.equal(await view.page.locator(".table-body .row").count(), 1);
  await view.page.locator('.table-body [data-state="retrying"]').waitFor();
  await view.page.getByRole("button", { name: "Cancel by filter…" }).click();
  await view.page.getByRole("button", { name: "Cancel 1", exact: true }).waitFor();
  await view.page.keyboard.press("Escape");
  await view.go(`runs/${patient.id}`);
  await node("wait", "retrying").waitFor();
});

test("runs are cancelled by filter, after a preview", async () => {
  await Promise.all(Array.from({ length: 30 }, () => start("patient", { labels: { batch: "b7" } })));
  await view.go("runs?workflow=patient&label=batch%3Ab7");
  await view.page.getByRole("button", { name: "Cancel by filter…" }).click();
  await view.page.getByRole("button", { name: "Cancel 30" }).click();
  await view.page.getByText("30 runs changed.").waitFor();
});

test("two versions of a definition are compared, and a run is started by the form", async () => {
  const second = structuredClone(order);
  second.tasks[1].timeout = "30s";
  await pawl.ask("PUT", "/v1/default/definitions/order", second);
  await view.go("definitions/order");
  await view.page.locator('.node[data-node="charge"]').waitFor();
  await view.page.getByRole("tab", { name: "Difference" }).click();
  await view.page.locator(".diff-new").getByText("timeout").waitFor();
  await view.page.getByRole("button", { name: "Start a run…" }).click();
  await view.page.getByRole("textbox", { name: "Input" }).fill('{"parcels": []}');
  await view.page.getByRole("button", { name: "Start", exact: true }).click();
  await node("approve", "waiting").waitFor();
});

test("children and parents link to each other", async () => {
  await pawl.ask("PUT", "/v1/default/definitions/family", {
    tasks: [{ id: "child", type: "workflow", workflow: "patient" }],
  });
  const parent = await start("family", {});
  await view.go(`runs/${parent.id}`);
  await view.page.getByRole("link", { name: "patient" }).click();
  await view.page.locator("dt", { hasText: "Parent" }).waitFor();
  await view.page.locator(".fact", { hasText: "Parent" }).getByRole("link").click();
  await until(() => view.page.url().endsWith(parent.id), "the parent's page");
});

test("a run and the run that continues it link to each other, and operation keys are shown", async () => {
  const first = await start("agent", { kind: "code", queue: "agents" });
  const { tasks } = await pawl.ask("POST", "/v1/default/tasks/claim", { worker_id: "agent-1", queues: ["agents"] });
  const held = { worker_id: "agent-1", fence: tasks[0].lease.fence };
  await pawl.ask("POST", `/v1/default/runs/${first.id}/steps/think/complete`, { fence: held.fence, output: 1 });
  await pawl.ask("POST", `/v1/default/tasks/${tasks[0].id}/complete`, { ...held, continue_as_new: { round: 2 } });
  const { continued_as: second } = await read(first.id);
  await view.go(`runs/${first.id}`);
  await view.page.locator(".fact", { hasText: "Continued as" }).getByRole("link").click();
  await until(() => view.page.url().endsWith(second), "the next run of the chain");
  await view.page.locator(".fact", { hasText: "Continued from" }).getByRole("link").click();
  await until(() => view.page.url().endsWith(first.id), "the run before");
  await view.go(`tasks/${tasks[0].id}`);
  await view.page.locator(".fact", { hasText: "Operation key" }).getByText(tasks[0].operation_key).waitFor();
});

test("the browser reported no errors", () => {
  assert.deepEqual(view.complaints, []);
});
