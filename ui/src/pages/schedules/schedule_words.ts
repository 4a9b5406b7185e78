// A schedule in words.
import type { Overlap, Schedule } from "../../api/types";
import { cronInWords, everyInWords } from "../../text/cron_words";

export function timingInWords(schedule: Schedule): string {
  if (schedule.cron === null) return everyInWords(schedule.every ?? "");
  return cronInWords(schedule.cron) ?? schedule.cron;
}

export function scheduleState(schedule: Schedule): string {
  if (!schedule.enabled) return "paused";
  return schedule.next_fire_at === null ? "ended" : "active";
}

// What becomes of a slot while what the one before started is not done.
export const overlapMeans: Record<Overlap, string> = {
  allow: "starts all the same",
  skip: "lets the slot pass",
  queue: "starts once that is done",
  cancel_previous: "cancels that and starts",
};
