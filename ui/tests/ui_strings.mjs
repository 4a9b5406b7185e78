// All texts of the dashboard: JSX text, string literals and template literals of src, without imports and class names.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

const source = new URL("../src", import.meta.url).pathname;

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return /\.tsx?$/.test(entry.name) && entry.name !== "calls.ts" ? [path] : [];
  });
}

function isSkipped(node) {
  return (
    ts.isImportDeclaration(node) ||
    ts.isTypeNode(node) ||
    (ts.isJsxAttribute(node) && ["className", "key", "d"].includes(node.name.getText()))
  );
}

// [{ place: "pages/runs/runs_page.tsx:12", text }]
export function uiStrings() {
  return filesUnder(source).flatMap((path) => {
    const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    const found = [];
    const visit = (node) => {
      if (isSkipped(node)) return;
      if (
        ts.isJsxText(node) ||
        ts.isStringLiteralLike(node) ||
        ts.isTemplateHead(node) ||
        ts.isTemplateMiddleOrTemplateTail(node)
      ) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push({ place: `${relative(source, path)}:${line + 1}`, text: node.text.replace(/\s+/g, " ").trim() });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found.filter(({ text }) => text !== "");
  });
}
