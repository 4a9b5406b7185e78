// Shared by the dashboard's tests: the built program, as a server with a worker, and a real browser.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { chromium } from "playwright-core";

const here = new URL(".", import.meta.url).pathname;
export const binary = process.env.PAWL_BINARY ?? join(here, "../../build/release/pawl");

// A server on a free port and a worker with these handlers ({"type": "command"}). Their data folder is removed with
// them.
export async function startPawl(handlers = {}, { concurrency = 4 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-dashboard-"));
  const flags = Object.entries(handlers).flatMap(([type, command]) => ["--handle", `${type}=${command}`]);
  const child = spawn(
    binary,
    ["dev", "--listen", "127.0.0.1:0", "--data", folder, "--concurrency", String(concurrency), ...flags],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  const said = [];
  child.stderr.on("data", (text) => said.push(String(text)));
  const address = await new Promise((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (text) => {
      out += text;
      const found = /^server +(\S+)/m.exec(out);
      if (found && /^stop/m.test(out)) resolve(found[1]);
    });
    child.on("exit", () => reject(new Error(`pawl dev ended: ${said.join("")}`)));
  });
  return {
    address,
    folder,
    ask: (method, path, body, headers = {}) => ask(address, method, path, body, headers),
    stop: async () => {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask(address, method, path, body, headers) {
  const isText = typeof body === "string";
  const response = await fetch(`${address}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

// Imports a module that does not need a page, by its path under src/.
export async function importSource(path) {
  const built = buildSync({ entryPoints: [join(here, "../src", path)], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString("base64")}`);
}

// Polls until the condition holds: tests never sleep for a guessed time.
export async function until(look, what, timeoutMs = 20_000) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`timed out waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

// A page that records all complaints of the browser: errors, policy violations, dialogs opened by scripts.
export async function openPage(browser, address, { width = 1280, height = 800, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text()))
      complaints.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) complaints.push(`request elsewhere: ${request.url()}`);
  });
  const go = async (hash) => {
    await page.goto(`${address}/#/default/${hash}`);
    await page.waitForSelector("main h1, main.sign-in");
  };
  return { page, complaints, go, close: () => context.close() };
}
