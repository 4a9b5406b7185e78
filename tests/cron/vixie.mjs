// A model of the rules of Vixie cron, which steps the local time minute by minute.

// As in cron(8): a job with a wildcard in the minute or the hour. Pawl also treats a list of every hour as one.
export function isWildcard(expression) {
  if (expression === "@hourly") return true;
  if (expression.startsWith("@")) return false;
  const [minute, hour] = expression.split(" ");
  return minute.startsWith("*") || hour.startsWith("*") || hour === "0-23";
}

// `named`: the minutes of a UTC clock that the expression names.
export function slotsOfModel({ expression, dst, from }, minutes, named) {
  const isWild = isWildcard(expression);
  const slots = [];
  let highest = minutes[0].shown;
  const times = new Map(); // how often each minute occurs
  for (const { shown } of minutes) times.set(shown, (times.get(shown) ?? 0) + 1);
  const met = new Map();
  for (const { time, shown } of minutes) {
    met.set(shown, (met.get(shown) ?? 0) + 1);
    let isDue = named.has(shown);
    if (!isWild) {
      const isFirst = met.get(shown) === 1;
      const isLast = met.get(shown) === times.get(shown);
      isDue &&= dst.fold === "both" || (dst.fold === "first" ? isFirst : isLast);
      if (dst.gap === "shift")
        for (let leftOut = highest + 60; leftOut < shown; leftOut += 60) isDue ||= named.has(leftOut);
    }
    highest = Math.max(highest, shown);
    if (isDue && time > from) slots.push(time);
  }
  return slots;
}
