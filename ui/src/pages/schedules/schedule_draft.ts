// The content of a schedule's form, and the request made from it. JSON written by users stays text.
import type { DstFold, DstGap, ScheduleOverlap, Schedule } from "../../api/calls";
import { localTime, utcTime } from "../../text/format";
import { faultOf, fieldText, indented } from "../../text/json_text";

export interface Draft {
  name: string;
  timing: "cron" | "every";
  cron: string;
  every: string;
  timezone: string;
  target: "workflow" | "task";
  workflow: string;
  input: string; // JSON
  queue: string;
  task: string; // JSON: type, payload and further fields of a task
  dst_gap: DstGap;
  dst_fold: DstFold;
  overlap: ScheduleOverlap;
  max_catchup: string;
  jitter: string;
  start_at: string; // in the format of a time field
  end_at: string;
}

export const emptyDraft: Draft = {
  name: "",
  timing: "cron",
  cron: "0 3 * * *",
  every: "10m",
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
  target: "workflow",
  workflow: "",
  input: "null",
  queue: "",
  task: '{\n  "type": "email.send",\n  "payload": {}\n}',
  dst_gap: "shift",
  dst_fold: "first",
  overlap: "allow",
  max_catchup: "100",
  jitter: "0s",
  start_at: "",
  end_at: "",
};

// `text` is the response that contains the schedule.
export function draftOf(schedule: Schedule, text: string): Draft {
  const task = fieldText(text, "task");
  return {
    ...emptyDraft,
    name: schedule.name,
    timing: schedule.cron === null ? "every" : "cron",
    cron: schedule.cron ?? emptyDraft.cron,
    every: schedule.every ?? emptyDraft.every,
    timezone: schedule.timezone,
    target: schedule.workflow === null ? "task" : "workflow",
    workflow: schedule.workflow ?? "",
    input: indented(fieldText(text, "input") ?? "null"),
    queue: schedule.queue ?? "",
    task: task === null ? emptyDraft.task : indented(task),
    dst_gap: schedule.dst.gap,
    dst_fold: schedule.dst.fold,
    overlap: schedule.overlap,
    max_catchup: String(schedule.max_catchup),
    jitter: schedule.jitter,
    start_at: localTime(schedule.start_at ?? ""),
    end_at: localTime(schedule.end_at ?? ""),
  };
}

// The request body: all fields of a new schedule, or the fields of an existing one that differ from `before`.
export function bodyOf(draft: Draft, before: Draft | null): string {
  const fields = before === null ? [["name", textOf(draft.name)]] : [];
  for (const { name, of, value } of bodyFields(draft)) {
    if (before === null || of.some((one) => draft[one] !== before[one])) fields.push([name, value]);
  }
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
}

interface BodyField {
  name: string;
  of: (keyof Draft)[]; // the fields of the form that it is made from
  value: string; // JSON
}

function bodyFields(draft: Draft): BodyField[] {
  const { timing } = draft;
  return [
    { name: timing, of: ["timing", timing], value: textOf(draft[timing]) },
    { name: "timezone", of: ["timezone"], value: textOf(draft.timezone) },
    ...targetFields(draft),
    {
      name: "dst",
      of: ["dst_gap", "dst_fold"],
      value: JSON.stringify({ gap: draft.dst_gap, fold: draft.dst_fold }),
    },
    { name: "overlap", of: ["overlap"], value: textOf(draft.overlap) },
    { name: "max_catchup", of: ["max_catchup"], value: numberOf(draft.max_catchup) },
    { name: "jitter", of: ["jitter"], value: textOf(draft.jitter.trim() || "0s") },
    { name: "start_at", of: ["start_at"], value: textOrNull(utcTime(draft.start_at)) },
    { name: "end_at", of: ["end_at"], value: textOrNull(utcTime(draft.end_at)) },
  ];
}

function targetFields(draft: Draft): BodyField[] {
  if (draft.target === "task") return [{ name: "task", of: ["target", "task"], value: draft.task }];
  return [
    { name: "workflow", of: ["target", "workflow"], value: textOf(draft.workflow) },
    { name: "input", of: ["input"], value: draft.input },
    { name: "queue", of: ["queue"], value: textOrNull(draft.queue) },
  ];
}

function textOf(value: string): string {
  return JSON.stringify(value.trim());
}

function textOrNull(value: string): string {
  return value.trim() === "" ? "null" : textOf(value);
}

// An invalid number is sent unchanged: the server reports the error.
function numberOf(value: string): string {
  return /^\d+$/.test(value.trim()) ? value.trim() : textOf(value);
}

export function hasFault(draft: Draft): boolean {
  return faultOf(draft.target === "task" ? draft.task : draft.input) !== null;
}
