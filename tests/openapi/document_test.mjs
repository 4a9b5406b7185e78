// Lints the document at /openapi.json with three tools, and compiles a client that is generated from it.
// `Dashboard.IsBuiltAgainstThisServersDescription` compares ui/openapi.json with the served document.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import SwaggerParser from "@apidevtools/swagger-parser";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const at = (path) => new URL(path, import.meta.url).pathname;
const documentPath = process.env.PAWL_OPENAPI ?? at("../../ui/openapi.json");
const text = readFileSync(documentPath, "utf8");
const folder = mkdtempSync(join(tmpdir(), "pawl-openapi-"));
after(() => rmSync(folder, { recursive: true }));

const script = (name) => createRequire(import.meta.url).resolve(name);

test("swagger-parser finds the document valid", async () => {
  const api = await SwaggerParser.validate(JSON.parse(text));
  assert.equal(api.openapi, "3.1.0");
});

test("redocly finds no error and no warning", () => {
  const args = ["lint", "--extends=recommended-strict", "--format=json", "--max-problems=10000", documentPath];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const linted = spawnSync(process.execPath, [script("@redocly/cli/bin/cli.js"), ...args], { env, encoding: "utf8", maxBuffer: 1e8 });
  const report = JSON.parse(linted.stdout);
  assert.deepEqual(report.problems.map((one) => `${one.ruleId}: ${one.message} ${JSON.stringify(one.location?.[0]?.pointer)}`), []);
});

test("spectral finds no error, warning or hint", () => {
  const main = join(script("@stoplight/spectral-cli/package.json"), "../dist/index.js");
  const path = join(folder, "spectral.json"); // a file, since it exits before a pipe has transferred a long report
  spawnSync(process.execPath, [main, "lint", "--ruleset", at("spectral.yaml"), "--format", "json", "--output", path, "--quiet", documentPath]);
  const report = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual(report.map((one) => `${one.code}: ${one.message} ${one.path.join("/")}`), []);
});

test("every operation has a method name, answers and problems of its own", () => {
  const document = JSON.parse(text);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  assert.equal(new Set(operations.map((one) => one.operationId)).size, operations.length);
  for (const one of operations) {
    assert.match(one.operationId, /^[a-z]+([A-Z][a-z]*)*$/);
    const successes = Object.entries(one.responses).filter(([status]) => status.startsWith("2"));
    assert.ok(successes.length > 0 && "default" in one.responses, one.operationId);
    for (const [status, response] of successes) assert.ok(status === "204" || response.content, `${one.operationId} ${status}`);
  }
});

// The compile errors of a program against the generated types, as "line: message".
function errorsOf(program) {
  const path = join(folder, program);
  cpSync(at(program), path);
  const checked = ts.createProgram([path], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
  });
  return ts.getPreEmitDiagnostics(checked).map((one) => {
    const line = one.file?.getLineAndCharacterOfPosition(one.start ?? 0).line ?? -1;
    return `${line + 1}: ${ts.flattenDiagnosticMessageText(one.messageText, " ")}`;
  });
}

test("a client made by openapi-typescript compiles and is typed", async (t) => {
  const nodes = await openapiTS(JSON.parse(text));
  writeFileSync(join(folder, "pawl.ts"), astToString(nodes));

  await t.test("a correct client compiles", () => assert.deepEqual(errorsOf("client.ts"), []));

  await t.test("each mistake is a compile error", () => {
    const lines = readFileSync(at("mistakes.ts"), "utf8").split("\n");
    const expected = lines.flatMap((line, i) => (line.includes("// mistake") ? [i + 1] : []));
    const found = errorsOf("mistakes.ts").map((error) => Number(error.split(":")[0]));
    assert.ok(expected.length > 0);
    assert.deepEqual(found, expected);
  });
});
