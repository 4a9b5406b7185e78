// The differences between two texts, line by line: lines of the longest common subsequence stay, the others were
// removed or added.

export interface DiffLine {
  mark: " " | "-" | "+";
  text: string;
}

export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split("\n");
  const b = after.split("\n");
  const common = commonLengths(a, b);
  const out: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ mark: " ", text: a[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      out.push({ mark: "-", text: a[i] ?? "" });
      i += 1;
    } else {
      out.push({ mark: "+", text: b[j] ?? "" });
      j += 1;
    }
  }
  return out;
}

function at(table: Uint32Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

// common[i][j]: the number of common lines of a[i…] and b[j…], in order.
function commonLengths(a: string[], b: string[]): Uint32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = table[i];
      if (row)
        row[j] = a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}
