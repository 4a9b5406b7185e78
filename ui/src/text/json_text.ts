// JSON as text. The server returns payloads byte for byte, and JSON.parse would change some of them (64-bit numbers,
// duplicate keys). Text that is shown or sent is therefore never parsed.

// The end of the value that begins at `from`. The text must be valid JSON.
function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first !== "{" && first !== "[") {
    let at = from;
    while (at < text.length && !/[,\]}\s]/.test(text[at] ?? "")) at += 1;
    return at;
  }
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const c = text[at];
    if (c === '"') at = endOfString(text, at) - 1;
    else if (c === "{" || c === "[") depth += 1;
    else if (c === "}" || c === "]") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? "")) at += 1;
  return at;
}

// [key, text of its value] of an object, or [index, …] of an array.
export function* entriesOf(text: string): Generator<[string, string]> {
  let at = skipSpace(text, 0);
  const isObject = text[at] === "{";
  if (!isObject && text[at] !== "[") return;
  const close = isObject ? "}" : "]";
  at = skipSpace(text, at + 1);
  for (let index = 0; at < text.length && text[at] !== close; index += 1) {
    let key = String(index);
    if (isObject) {
      const end = endOfString(text, at);
      key = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = endOfValue(text, at);
    yield [key, text.slice(at, end)];
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
}

// The text of an object's field; null if it is missing or null.
export function fieldText(text: string, name: string): string | null {
  for (const [key, value] of entriesOf(text)) {
    if (key === name) return value === "null" ? null : value;
  }
  return null;
}

// The same tokens with line breaks and indentation.
export function indented(text: string, indent = ""): string {
  const inner = `${indent}  `;
  const first = text[skipSpace(text, 0)];
  if (first !== "{" && first !== "[") return text.trim();
  const parts: string[] = [];
  const isObject = first === "{";
  for (const [key, value] of entriesOf(text)) {
    parts.push(`${inner}${isObject ? `${JSON.stringify(key)}: ` : ""}${indented(value, inner)}`);
  }
  const [open, close] = isObject ? ["{", "}"] : ["[", "]"];
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

// The JSON error with its line; null for valid JSON.
export function faultOf(text: string): string | null {
  if (text.trim() === "") return "Empty text is not JSON. Use null for no value.";
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    // A message without a position means that the text ended too early.
    const line = text.slice(0, position === undefined ? undefined : Number(position)).split("\n").length;
    return `Line ${line}: ${message}`;
  }
}
