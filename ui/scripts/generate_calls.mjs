// Makes src/api/calls.ts from openapi.json, which a test compares with what the server serves: a call that does not
// exist, or a field that it does not take, does not compile.
import { readFileSync, writeFileSync } from "node:fs";

const at = (path) => new URL(path, import.meta.url).pathname;
const document = JSON.parse(readFileSync(at("../openapi.json"), "utf8"));

const resolve = (schema) => (schema.$ref ? document.components.schemas[schema.$ref.split("/").pop()] : schema);

function typeOf(given) {
  const schema = resolve(given);
  if (schema.enum) return schema.enum.map((name) => JSON.stringify(name)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  return [schema.type]
    .flat()
    .map((type) => plainTypeOf(type, schema))
    .join(" | ");
}

function plainTypeOf(type, schema) {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `(${typeOf(schema.items)})[]`;
    case "object":
      return objectTypeOf(schema);
    default:
      return "unknown";
  }
}

function objectTypeOf(schema) {
  if (!schema.properties)
    return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties) : "unknown"}>`;
  const required = new Set(schema.required ?? []);
  return fieldsOf(
    Object.entries(schema.properties).map(([name, field]) => ({ name, schema: field, required: required.has(name) })),
  );
}

// What stands in a path, and a list in the query, is text as the page writes it.
const isText = (field) =>
  field.in === "path" || (field.in === "query" && (field.explode === false || resolve(field.schema).enum));

function fieldsOf(fields) {
  if (fields.length === 0) return "Record<never, never>";
  return `{ ${fields.map((f) => `${f.name}${f.required ? "" : "?"}: ${isText(f) ? "string" : typeOf(f.schema)}`).join("; ")} }`;
}

function callOf(method, path, operation) {
  const parameters = (place) => fieldsOf((operation.parameters ?? []).filter((p) => p.in === place));
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
