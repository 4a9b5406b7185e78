// Makes src/api/calls.ts from openapi.json, which a test compares with what the server serves: a call that does not
// exist, or a field that it does not take, does not compile.
import { readFileSync, writeFileSync } from "node:fs";

const at = (path) => new URL(path, import.meta.url).pathname;
const document = JSON.parse(readFileSync(at("../openapi.json"), "utf8"));

function typeOf(schema) {
  const type = plainTypeOf(schema);
  return schema.nullable ? `${type} | null` : type;
}

function plainTypeOf(schema) {
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return `${typeOf(schema.items)}[]`;
    case "object":
      return objectTypeOf(schema);
    default:
      return "unknown";
  }
}

function objectTypeOf(schema) {
  if (!schema.properties) return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties) : "unknown"}>`;
  const required = new Set(schema.required ?? []);
  return fieldsOf(Object.entries(schema.properties).map(([name, field]) => ({ name, schema: field, required: required.has(name) })));
}

// A limit of null clears it: what the table of routes says in words for these.
const clearable = (field) => (field.schema.description?.includes("null clears") && !field.schema.nullable ? " | null" : "");

function fieldsOf(fields) {
  if (fields.length === 0) return "Record<never, never>";
  return `{ ${fields.map((f) => `${f.name}${f.required ? "" : "?"}: ${typeOf(f.schema)}${clearable(f)}`).join("; ")} }`;
}

function callOf(method, path, operation) {
  const parameters = (place) =>
    fieldsOf((operation.parameters ?? []).filter((p) => p.in === place));
  const body = operation.requestBody?.content["application/json"].schema;
  return [
    `  /** ${operation.summary}. Role: ${operation["x-role"]}. */`,
    `  "${method.toUpperCase()} ${path}": {`,
    `    path: ${parameters("path")};`,
    `    query: ${parameters("query")};`,
    `    body: ${body ? typeOf(body) : "undefined"};`,
    "  };",
  ].join("\n");
}

const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => callOf(method, path, operation)),
);
writeFileSync(
  at("../src/api/calls.ts"),
  `// Made by scripts/generate_calls.mjs from openapi.json; not to be edited.\n\nexport interface Calls {\n${calls.join("\n")}\n}\n`,
);
