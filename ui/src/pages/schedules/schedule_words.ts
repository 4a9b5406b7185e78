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
  allow: "start anyway",
  skip: "skip the slot",
  queue: "start when it ends",
  cancel_previous: "cancel it and start",
};

// What happens to a fixed time when the UTC offset changes.
export const gapMeans: Record<DstGap, string> = {
  shift: "fire right after the gap",
  skip: "do not fire",
};
export const foldMeans: Record<DstFold, string> = {
  first: "fire the first time",
  last: "fire the last time",
  both: "fire both times",
};
