// Creates or changes a schedule. Errors of the server are shown at the field that they name.
import { useCallback, useState } from "react";
import { useConnection } from "../../api/context";
import type { Schedule } from "../../api/calls";
import { dstFolds, dstGaps, overlaps } from "../../api/types";
import { useLoaded } from "../../live/use_loaded";
import { Dialog } from "../../parts/dialog";
import { Form, useSending } from "../../parts/form";
import { Choice, Field, SelectField } from "../../parts/field";
import { JsonEditor } from "../../parts/json_editor";
import { cronFault } from "../../text/cron_fields";
import { cronInWords, everyInWords } from "../../text/cron_words";
import { inWords } from "../../text/format";
import { bodyOf, emptyDraft, hasFault, type Draft } from "./schedule_draft";
import { foldMeans, gapMeans, overlapMeans } from "./schedule_words";

interface Props {
  before: Draft | null; // null: a new one
  onSaved: (schedule: Schedule) => void;
  onClose: () => void;
}

const zones: string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

export function ScheduleForm({ before: asOpened, onSaved, onClose }: Props) {
  const { client, ns } = useConnection();
  const [before] = useState(asOpened);
  const [draft, setDraft] = useState<Draft>(before ?? emptyDraft);
  const workflows = useWorkflows();
  const sending = useSending(async () => {
    const bodyText = bodyOf(draft, before);
    onSaved(
      before
        ? await client.call("PATCH /v1/{ns}/schedules/{id}", { path: { ns, id: before.name }, bodyText })
        : await client.call("POST /v1/{ns}/schedules", { path: { ns }, bodyText }),
    );
  });
  const set = (change: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...change }));
    sending.clearErrors(...Object.keys(change));
  };
  const { errorAt } = sending;
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: (value: string) => set({ [name]: value }),
    error: errorAt(name),
  });
  return (
    <Dialog title={before ? `Edit ${before.name}` : "New schedule"} onClose={onClose}>
      <Form
        sending={sending}
        button={before ? "Save" : "Create schedule"}
        isDisabled={hasFault(draft)}
        className="schedule-form"
        fields={Object.keys(draft).filter((name) => isShown(name, draft))}
      >
        {!before && <Field label="Name" placeholder="nightly-report" {...field("name")} />}
        <Choice
          label="Timing"
          names={{ cron: "cron expression", every: "fixed interval" }}
          value={draft.timing}
          onChange={(timing) => set({ timing })}
        />
        {draft.timing === "cron" ? (
          <div className="pair">
            <Field label="Cron" hint={cronInWords(draft.cron) ?? cronFault(draft.cron)} {...field("cron")} />
            <Field label="Time zone" suggestions={zones} {...field("timezone")} />
          </div>
        ) : (
          <Field label="Every" hint={everyInWords(draft.every.trim())} {...field("every")} />
        )}
        <Choice
          label="Target"
          names={{ workflow: "workflow", task: "task" }}
          value={draft.target}
          onChange={(target) => set({ target })}
        />
        {draft.target === "workflow" ? (
          <>
            <div className="pair">
              <Field label="Workflow" suggestions={workflows} {...field("workflow")} />
              <Field label="Queue" placeholder="workflow default" {...field("queue")} />
            </div>
            <JsonEditor
              label="Input"
              rows={3}
              text={draft.input}
              error={errorAt("input")}
              onChange={(input) => set({ input })}
            />
          </>
        ) : (
          <JsonEditor
            label="Task"
            rows={5}
            text={draft.task}
            error={errorAt("task")}
            onChange={(task) => set({ task })}
          />
        )}
        <div className="pair">
          <SelectField
            label="If the previous run is still active"
            options={overlaps.map((name) => ({ name, label: `${inWords(name)}: ${overlapMeans[name]}` }))}
            value={draft.overlap}
            onChange={(overlap) => set({ overlap })}
          />
          <Field label="Catch-up limit" hint="Missed slots that fire after downtime" {...field("max_catchup")} />
        </div>
        {draft.timing === "cron" && (
          <div className="pair">
            <SelectField
              label="Times skipped by a clock change"
              options={dstGaps.map((name) => ({ name, label: gapMeans[name] }))}
              value={draft.dst_gap}
              onChange={(dst_gap) => set({ dst_gap })}
            />
            <SelectField
              label="Times repeated by a clock change"
              options={dstFolds.map((name) => ({ name, label: foldMeans[name] }))}
              value={draft.dst_fold}
              onChange={(dst_fold) => set({ dst_fold })}
            />
          </div>
        )}
        <div className="thirds">
          <Field label="Maximum jitter" {...field("jitter")} />
          <Field label="Start time (local)" type="datetime-local" {...field("start_at")} />
          <Field label="End time (local)" type="datetime-local" {...field("end_at")} />
        </div>
      </Form>
    </Dialog>
  );
}

function isShown(name: string, draft: Draft): boolean {
  const hidden = [
    draft.timing === "cron" ? "every" : "cron",
    ...(draft.target === "task" ? ["workflow", "input", "queue"] : ["task"]),
  ];
  if (draft.timing === "every") hidden.push("timezone");
  return name in draft && !hidden.includes(name);
}

function useWorkflows(): string[] {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) => client.call("GET /v1/{ns}/definitions", { path: { ns }, query: { limit: 500 }, signal }),
    [client, ns],
  );
  return useLoaded(load).value?.items.map((row) => row.name) ?? [];
}
