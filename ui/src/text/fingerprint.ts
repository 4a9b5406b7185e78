// The fingerprint of a failure: the task's type, the error's code, and the message without the parts that differ
// between tasks (numbers, ids, quoted values).

const variable: [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "‹id›"],
  [/"[^"]*"|'[^']*'/g, "‹…›"],
  [/\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b/gi, "‹hex›"],
  [/\d+(\.\d+)?/g, "‹n›"],
];

export function messageShape(message: string): string {
  return variable.reduce((text, [pattern, mark]) => text.replace(pattern, mark), message).trim();
}

export function fingerprintOf(type: string, code: string, message: string): string {
  return `${type}\n${code}\n${messageShape(message)}`;
}
