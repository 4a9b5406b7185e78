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
  const is = (...names: (keyof Draft)[]) => before === null || names.some((name) => draft[name] !== before[name]);
  const text = (name: keyof Draft) => JSON.stringify(draft[name].trim());
  const orNull = (value: string) => (value.trim() === "" ? "null" : JSON.stringify(value.trim()));
  const fields: [string, string][] = [];
  if (before === null) fields.push(["name", text("name")]);
  if (is("timing", draft.timing)) fields.push([draft.timing, text(draft.timing)]);
  if (is("timezone")) fields.push(["timezone", text("timezone")]);
  if (draft.target === "task") {
    if (is("target", "task")) fields.push(["task", draft.task]);
  } else {
    if (is("target", "workflow")) fields.push(["workflow", text("workflow")]);
    if (is("input")) fields.push(["input", draft.input]);
    if (is("queue")) fields.push(["queue", orNull(draft.queue)]);
  }
  if (is("dst_gap", "dst_fold")) fields.push(["dst", JSON.stringify({ gap: draft.dst_gap, fold: draft.dst_fold })]);
  if (is("overlap")) fields.push(["overlap", text("overlap")]);
  // An invalid number is sent unchanged: the server reports the error.
  if (is("max_catchup"))
    fields.push([
      "max_catchup",
      /^\d+$/.test(draft.max_catchup.trim()) ? draft.max_catchup.trim() : text("max_catchup"),
    ]);
  if (is("jitter")) fields.push(["jitter", draft.jitter.trim() === "" ? '"0s"' : text("jitter")]);
  if (is("start_at")) fields.push(["start_at", orNull(utcTime(draft.start_at))]);
  if (is("end_at")) fields.push(["end_at", orNull(utcTime(draft.end_at))]);
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
}

export function hasFault(draft: Draft): boolean {
  return faultOf(draft.target === "task" ? draft.task : draft.input) !== null;
}
