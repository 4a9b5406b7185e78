// npm run measure: prints the latency of the page with 10,000 runs, 100,000 tasks and a graph of 500 tasks. It has no
// limits, since the times depend on the load of the machine.
import { openBrowser, openPage, startPawl, until } from "../tests/support.mjs";

const pawl = await startPawl();
const browser = await openBrowser();
try {
  await fill();
  const view = await openPage(browser, pawl.address);
  await report("list of 10,000 runs: scroll by 40 rows", () => scrolled(view, "runs"));
  await report("list of 100,000 tasks: scroll by 40 rows", () => scrolled(view, "tasks"));
  const { run } = await pawl.ask("POST", "/v1/default/workflows/wide/start", {});
  await view.go(`runs/${run.id}`);
  await view.page.locator(".node").first().waitFor();
  await report("graph of 500 tasks: zoom one step", () => tookInPage(view.page, ".react-flow__controls-zoomin"));
  await report("graph of 500 tasks: choose a task", () => tookInPage(view.page, ".react-flow__node"));
  await report("graph of 500 tasks: the slider, one event", () => slid(view.page));
} finally {
  await browser.close();
  await pawl.stop();
}

async function fill() {
  await pawl.ask("PUT", "/v1/default/definitions/one", {
    tasks: [{ id: "only", activity: "none.one", queue: "nobody" }],
  });
  const layer = (n) => Math.floor(n / 25);
  const tasks = Array.from({ length: 500 }, (_, n) => ({
    id: `task_${n}`,
    activity: "none.wide",
    queue: "nobody",
    after:
      layer(n) === 0
        ? []
        : [`task_${n - 25}`, `task_${(layer(n) - 1) * 25 + ((n * 7) % 25)}`].filter(
            (id, i, all) => all.indexOf(id) === i,
          ),
  }));
  await pawl.ask("PUT", "/v1/default/definitions/wide", { tasks });
  for (let done = 0; done < 10_000; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => pawl.ask("POST", "/v1/default/workflows/one/start", {})));
  }
  const many = Array.from({ length: 10_000 }, () => ({ type: "none.many", queue: "many" }));
  for (let round = 0; round < 10; round += 1) await pawl.ask("POST", "/v1/default/tasks/batch", { tasks: many });
}

async function report(what, measure) {
  const times = [];
  for (let n = 0; n < 15; n += 1) times.push(await measure());
  times.sort((a, b) => a - b);
  console.log(`${what}: median ${times[7].toFixed(0)} ms, worst ${times.at(-1).toFixed(0)} ms`);
}

// From the click to the second frame after it: the first may still show the old state.
function tookInPage(page, selector) {
  return page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const element = document.querySelector(wanted);
        const began = performance.now();
        element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
      }),
    selector,
  );
}

async function scrolled(view, name) {
  if (!view.page.url().endsWith(`/${name}`)) {
    await view.go(name);
    await view.page.locator(".table-body .row").first().waitFor();
    // Scrolls down by up to ten pages of the list.
    for (let n = 0; n < 10; n += 1) {
      const before = await view.page.locator(".table-body").evaluate((body) => body.clientHeight);
      await view.page.locator(".table").evaluate((table) => (table.scrollTop = table.scrollHeight));
      await until(
        () => view.page.locator(".table-body").evaluate((body, was) => body.clientHeight > was, before),
        "more rows",
      );
    }
  }
  return view.page.evaluate(
    () =>
      new Promise((resolve) => {
        const table = document.querySelector(".table");
        const began = performance.now();
        table.scrollTop = (table.scrollTop + 40 * 34) % (table.scrollHeight - table.clientHeight);
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
      }),
  );
}

function slid(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const slider = document.querySelector("#up-to");
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
        const began = performance.now();
        set.call(slider, String(1 + ((Number(slider.value) + 1) % Number(slider.max))));
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
      }),
  );
}
