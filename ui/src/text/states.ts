// The appearance of each state of a task, run, graph node, worker or attempt. Color is never the only sign: every tone
// has a shape and a word.

export type Tone = "wait" | "work" | "good" | "bad" | "retry" | "undo" | "hold" | "off";
export type Shape = "ring" | "dot" | "play" | "check" | "cross" | "square" | "loop" | "back" | "bars" | "moon" | "dash";

interface Look {
  tone: Tone;
  shape: Shape;
}

const looks: Record<string, Look> = {
  blocked: { tone: "wait", shape: "ring" },
  pending: { tone: "wait", shape: "dot" },
  scheduled: { tone: "wait", shape: "moon" },
  waiting: { tone: "hold", shape: "moon" },
  created: { tone: "wait", shape: "ring" },
  claimed: { tone: "work", shape: "dot" },
  running: { tone: "work", shape: "play" },
  completing: { tone: "work", shape: "play" },
  sleeping: { tone: "hold", shape: "moon" },
  paused: { tone: "hold", shape: "bars" },
  retrying: { tone: "retry", shape: "loop" },
  completed: { tone: "good", shape: "check" },
  online: { tone: "good", shape: "dot" },
  failing: { tone: "bad", shape: "loop" },
  failed: { tone: "bad", shape: "cross" },
  dead_letter: { tone: "bad", shape: "square" },
  timed_out: { tone: "bad", shape: "moon" },
  lease_expired: { tone: "retry", shape: "dash" },
  released: { tone: "off", shape: "back" },
  compensating: { tone: "undo", shape: "loop" },
  compensated: { tone: "undo", shape: "back" },
  compensation_failed: { tone: "bad", shape: "back" },
  cancelled: { tone: "off", shape: "dash" },
  skipped: { tone: "off", shape: "dash" },
  draining: { tone: "hold", shape: "bars" },
  offline: { tone: "off", shape: "ring" },
  active: { tone: "good", shape: "dot" },
  fired: { tone: "good", shape: "check" },
  next: { tone: "wait", shape: "ring" },
  ended: { tone: "off", shape: "square" },
  open: { tone: "good", shape: "dot" },
};

export function lookOf(state: string): Look {
  return looks[state] ?? { tone: "wait", shape: "ring" };
}
