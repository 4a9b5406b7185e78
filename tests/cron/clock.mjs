// UTC offsets of time zones, from Intl.

const formats = new Map();

function formatOf(zone) {
  if (!formats.has(zone))
    formats.set(zone, new Intl.DateTimeFormat("en-US", {
      timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric",
      minute: "numeric", second: "numeric",
    }));
  return formats.get(zone);
}

// In seconds east of UTC.
export function offsetAt(zone, time) {
  const parts = Object.fromEntries(formatOf(zone).formatToParts(time * 1000).map((part) => [part.type, Number(part.value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) / 1000 - time;
}

// The times at which the offset changes: {at, before, after}.
export function changesOf(zone, from, to) {
  const kDay = 86_400;
  const changes = [];
  for (let time = from, offset = offsetAt(zone, from); time < to; time += kDay) {
    const next = offsetAt(zone, time + kDay);
    if (next === offset) continue;
    let low = time;
    let high = time + kDay;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(zone, middle) === offset) low = middle;
      else high = middle;
    }
    changes.push({ at: high, before: offset, after: next });
    offset = next;
  }
  return changes;
}

// The local time at each minute up to `to`, as the seconds of a UTC time with the same digits. There is one change.
export function minutesAround(zone, from, to, change) {
  const minutes = [];
  for (let time = from; time <= to; time += 60)
    minutes.push({ time, shown: time + (time < change.at ? change.before : change.after) });
  return minutes;
}
