// Prometheus text, summed over labels: the dashboard shows totals of this node.

export function metricTotals(text: string): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const name = line.slice(0, line.search(/[{ ]/));
    const value = Number(line.slice(line.lastIndexOf(" ") + 1));
    const labels = line.slice(name.length, line.lastIndexOf(" "));
    const outcome = /outcome="(\w+)"/.exec(labels)?.[1];
    const key = outcome ? `${name}:${outcome}` : name;
    totals[key] = (totals[key] ?? 0) + value;
  }
  return totals;
}
