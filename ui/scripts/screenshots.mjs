// npm run screenshots: the pictures of the guide, from a real server with the example workflows and some traffic.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, openBrowser, openPage, until } from "../tests/support.mjs";

const root = new URL("../..", import.meta.url).pathname;
const images = join(root, "docs/images");
const folder = mkdtempSync(join(tmpdir(), "pawl-pictures-"));
const trafficMs = 50_000;

const child = spawn("tools/run_examples.sh", [binary, "--listen", "127.0.0.1:0", "--data", folder], { cwd: root });
const address = await new Promise((resolve, reject) => {
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
    const found = /PAWL_ADDRESS=(http\S+)/.exec(said);
    if (found) resolve(found[1]);
  });
  child.on("exit", () => reject(new Error(said)));
});

async function ask(method, path, body) {
  const response = await fetch(`${address}/v1/default/${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

const enqueue = (type, more = {}) => ask("POST", "tasks", { type, ...more });
const start = async (workflow, input, more = {}) =>
  (await ask("POST", `workflows/${workflow}/start`, { input, ...more })).run;

// A nightly schedule with a backfill, one that fires too often for its target, and a paused one.
async function schedules() {
  const make = (name, more) => ask("POST", "schedules", { name, ...more });
  const timezone = "Europe/Berlin";
  const input = { day: "2026-01-29", regions: ["north", "south", "west"] };
  await make("nightly-report", { cron: "0 3 * * *", timezone, workflow: "nightly-report", input, overlap: "queue" });
  await make("index-refresh", {
    every: "5s",
    task: { type: "example.slow", payload: { index: "products" } },
    overlap: "skip",
  });
  await make("month-end", {
    cron: "30 18 LW * *",
    timezone,
    workflow: "word-count",
    input: { texts: ["the last weekday"] },
    jitter: "5m",
  });
  await make("greetings", {
    cron: "*/30 9-17 * * *",
    timezone: "Asia/Tokyo",
    task: { type: "example.greet", payload: { name: "team" } },
  });
  await make("invoices", {
    cron: "0 8 * * MON#1",
    timezone,
    workflow: "order-fulfilment",
    input: { order: "A-1", card: "good" },
  });
  await ask("POST", "schedules/invoices/pause");
  const day = 86_400_000;
  const at = (ms) => new Date(ms).toISOString();
  await ask("POST", "schedules/nightly-report/backfill", { from: at(Date.now() - 6 * day), to: at(Date.now()) });
}

// Tasks and runs for fifty seconds.
async function traffic() {
  const end = Date.now() + trafficMs;
  for (let n = 0; Date.now() < end; n += 1) {
    const burst = 2 + Math.round(3 * Math.sin(n / 6) ** 2);
    await Promise.all(
      Array.from({ length: burst }, (_, i) => enqueue("example.greet", { payload: { name: `guest ${n}.${i}` } })),
    );
    if (n % 9 === 0) await enqueue("example.flaky", { key: `customer-${n % 5}` });
    if (n % 14 === 0)
      await enqueue("example.broken", {
        retry: { max_attempts: 2, initial_interval: "500ms" },
        labels: { region: "north" },
      });
    if (n % 12 === 0) await enqueue("report.render", { queue: "reports", delay: "1h" });
    if (n % 10 === 0)
      await start(
        "order-fulfilment",
        { order: `A-${100 + n}`, card: n % 30 === 0 ? "declined" : "good" },
        { run_key: `A-${100 + n}`, labels: { shop: "berlin" } },
      );
    if (n % 16 === 0) await start("word-count", { texts: ["to be or not to be", "that is the question"] });
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function oneRun(query, state) {
  return until(
    async () => (await ask("GET", `runs?limit=1&${query}`)).items.find((run) => run.state === state),
    `a run ${state}`,
  );
}

try {
  mkdirSync(images, { recursive: true });
  const browser = await openBrowser();
  const watching = await openPage(browser, address);
  await watching.go("overview");
  await ask("PUT", "queues/reports", { paused: true, max_concurrency: 4, rate: { limit: 10, per: "1s" } });
  await schedules();
  await traffic();
  await enqueue("example.slow");
  await enqueue("example.slow");
  const undone = await oneRun("workflow=order-fulfilment&state=compensated", "compensated");
  const waiting = await start("expense-approval", { amount: 250 });
  await oneRun("workflow=expense-approval&state=sleeping", "sleeping");

  const shots = [
    { name: "overview", hash: "overview", page: watching.page },
    { name: "runs", hash: "runs" },
    { name: "run", hash: `runs/${undone.id}`, click: '.node[data-node="charge"]' },
    { name: "timeline", hash: `runs/${undone.id}`, click: 'role=tab[name="Timeline"]' },
    { name: "approval", hash: `runs/${waiting.id}`, click: 'role=button[name="Signal…"]' },
    { name: "tasks", hash: "tasks" },
    { name: "dead-letters", hash: "dead-letters" },
    { name: "queues", hash: "queues" },
    { name: "workers", hash: "workers" },
    { name: "schedules", hash: "schedules" },
    { name: "schedule", hash: "schedules/nightly-report" },
    { name: "skipped", hash: "schedules/index-refresh" },
    { name: "new-schedule", hash: "schedules", click: 'role=button[name="New schedule…"]' },
    { name: "definition", hash: "definitions/order-fulfilment" },
  ];
  for (const { name, hash, click, page: open } of shots) {
    const view = open ? { page: open } : await openPage(browser, address, { height: 760 });
    if (!open) await view.go(hash);
    await view.page.locator(".live.live").waitFor();
    if (click) await view.page.locator(click).click();
    await view.page.waitForTimeout(1200); // until graphs and charts are drawn
    for (const colorScheme of ["light", "dark"]) {
      await view.page.emulateMedia({ colorScheme });
      await view.page.waitForTimeout(open ? 2100 : 200); // a canvas reads its colors when it is drawn
      await view.page.screenshot({ path: join(images, `${name}-${colorScheme}.png`) });
    }
  }
  const phone = await openPage(browser, address, { width: 400, height: 800 });
  await phone.go(`runs/${undone.id}`);
  await phone.page.waitForTimeout(1200);
  await phone.page.screenshot({ path: join(images, "phone.png") });
  await browser.close();
  // Debian's pngquant, if installed, shrinks the pictures to a third.
  const pictures = readdirSync(images).map((name) => join(images, name));
  spawnSync("pngquant", ["--force", "--skip-if-larger", "--strip", "--ext", ".png", "64", ...pictures]);
} finally {
  child.kill("SIGTERM");
  await new Promise((resolve) => child.on("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
