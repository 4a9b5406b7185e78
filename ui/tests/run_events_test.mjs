// The states and the timeline that the page derives from the events of a code run. Runs without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./support.mjs";

const { nodesAfter, timelineOf } = await importSource("pages/run/run_events.ts");

const at = (second) => `2026-01-29T10:00:${String(second).padStart(2, "0")}.000000Z`;
const ms = (second) => Date.parse(at(second));
const event = (sequence, type, second, payload) => ({
  sequence,
  type,
  at: at(second),
  payload: { node: [7], ...payload },
});

test("a running step is shown as running", () => {
  const events = [event(1, "step_started", 5, { node_id: "charge", attempt: 1 })];
  assert.equal(nodesAfter(events, 1).nodes.get("charge").state, "running");
  const [row] = timelineOf(events);
  assert.equal(row.name, "charge");
  assert.deepEqual(row.spans, [{ from: ms(5), to: null, state: "running", what: "attempt 1" }]);
});

test("a step that has ended is one span, whether its start was written or not", () => {
  const events = [
    event(1, "step_completed", 5, { node_id: "quick", detail: { took_us: 2_000_000 } }),
    event(2, "step_started", 6, { node_id: "slow", attempt: 1 }),
    event(3, "step_completed", 9, { node_id: "slow", attempt: 1, detail: { took_us: 3_100_000 } }),
  ];
  assert.equal(nodesAfter(events, 3).nodes.get("slow").state, "completed");
  const [quick, slow] = timelineOf(events);
  assert.deepEqual(quick.spans, [{ from: ms(3), to: ms(5), state: "completed", what: "attempt" }]);
  assert.deepEqual(slow.spans, [{ from: ms(6), to: ms(9), state: "completed", what: "attempt 1" }]);
});

test("a step waits between its attempts", () => {
  const events = [
    event(1, "step_retrying", 5, { node_id: "charge", attempt: 1 }),
    event(2, "step_failed", 8, { node_id: "charge", attempt: 2, detail: { took_us: 1_000_000 } }),
  ];
  assert.equal(nodesAfter(events, 1).nodes.get("charge").state, "retrying");
  const [row] = timelineOf(events);
  assert.deepEqual(
    row.spans.map((span) => span.state),
    ["retrying", "failed"],
  );
});

test("a step that waits for a signal does not run", () => {
  const events = [event(1, "step_started", 5, { node_id: "ask", node_state: "waiting" })];
  assert.equal(nodesAfter(events, 1).nodes.get("ask").state, "waiting");
  assert.equal(timelineOf(events)[0].spans[0].state, "sleeping");
});
