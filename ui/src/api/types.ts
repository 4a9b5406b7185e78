// Types for what openapi.json leaves open, and the order in which lists show enumerations. All other types are in
// calls.ts. Pages show user values (payload, input, output) as received text (text/json_text.ts), since parsing would
// change large numbers.
import type {
  Definition,
  DstFold,
  DstGap,
  PutDefinitionRequest,
  RunEvent,
  RunState,
  ScheduleOverlap,
  TaskStatus,
} from "./calls";

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

export const taskStatuses: readonly TaskStatus[] = [
  "pending",
  "blocked",
  "claimed",
  "running",
  "completed",
  "failed",
  "dead_letter",
  "cancelled",
];

export const runStates: readonly RunState[] = [
  "running",
  "sleeping",
  "paused",
  "completed",
  "failing",
  "failed",
  "compensating",
  "compensated",
  "compensation_failed",
  "cancelled",
];

export const overlaps: readonly ScheduleOverlap[] = ["allow", "skip", "queue", "cancel_previous"];
export const dstGaps: readonly DstGap[] = ["shift", "skip"];
export const dstFolds: readonly DstFold[] = ["first", "last", "both"];

// The server validated the definition when it was applied.
export function graphOf({ definition }: Definition): PutDefinitionRequest {
  return definition as PutDefinitionRequest;
}

// The fields depend on the type of the event.
export function payloadOf({ payload }: RunEvent): Record<string, unknown> {
  return typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : {};
}
