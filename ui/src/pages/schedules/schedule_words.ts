// A schedule in words.
import type { DstFold, DstGap, ScheduleOverlap, Schedule } from "../../api/calls";
import { cronInWords, everyInWords } from "../../text/cron_words";

export function timingInWords(schedule: Schedule): string {
  if (schedule.cron === null) return everyInWords(schedule.every ?? "");
  return cronInWords(schedule.cron) ?? schedule.cron;
}

export function scheduleState(schedule: Schedule): string {
  if (!schedule.enabled) return "paused";
  return schedule.next_fire_at === null ? "ended" : "active";
}

// What happens to a slot while the previous job is still running.
export const overlapMeans: Record<ScheduleOverlap, string> = {
  allow: "starts all the same",
  skip: "lets the slot pass",
  queue: "starts once that is done",
  cancel_previous: "cancels that and starts",
};

// What happens to a fixed time when the UTC offset changes.
export const gapMeans: Record<DstGap, string> = {
  shift: "a time that is left out fires right after the gap",
  skip: "a time that is left out does not fire",
};
export const foldMeans: Record<DstFold, string> = {
  first: "a repeated time fires the first time",
  last: "a repeated time fires the last time",
  both: "a repeated time fires both times",
};
