// Fires the slots of a past time span: shows the slots first, and then fires all of them.
import { useCallback, useState } from "react";
import { useConnection } from "../../api/context";
import type { Backfilled, Schedule } from "../../api/calls";
import { useLoaded } from "../../live/use_loaded";
import { ProblemBox } from "../../parts/basics";
import { Dialog } from "../../parts/dialog";
import { Field } from "../../parts/field";
import { Form, useSending } from "../../parts/form";
import { zonedTime } from "../../text/calendar";
import { formatCount, localTime, plural, utcTime } from "../../text/format";
import { slotsKnown } from "./slots_known";

const weekMs = 7 * 86_400_000;
const shownMax = 6;

export function BackfillDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { client, ns } = useConnection();
  const [from, setFrom] = useState(() => localTime(new Date(Date.now() - weekMs).toISOString()));
  const [to, setTo] = useState(() => localTime(new Date().toISOString()));
  const { name } = schedule;
  const backfill = useCallback(
    (dry_run: boolean, signal?: AbortSignal) =>
      client.call("POST /v1/{ns}/schedules/{id}/backfill", {
        path: { ns, id: name },
        body: { from: utcTime(from), to: utcTime(to), dry_run },
        ...(signal ? { signal } : {}),
      }),
    [client, ns, name, from, to],
  );
  const preview = useLoaded(
    useCallback(
      async (signal: AbortSignal) => {
        const slots = await backfill(true, signal);
        return { ...slots, known: await slotsKnown(client, { ns, id: name }, slots.times, signal) };
      },
      [backfill, client, ns, name],
    ),
  );
  const found = preview.problem ? null : preview.value;
  const fresh = found && found.known !== null ? found.count - found.known : null; // null: unknown
  const wanted = fresh ?? found?.count ?? 0;
  const isAllFresh = fresh === null || fresh === found?.count;
  const errorAt = (field: string) => preview.problem?.errors.find((error) => error.field === field)?.message ?? null;
  const sending = useSending(async () => {
    const { count } = await backfill(false);
    onClose();
    if (fresh === null)
      return `Backfilling ${plural(count, "slot")} of ${name}; slots that already fired or were skipped are ignored`;
    const left = isAllFresh ? "" : `; ${formatCount(count - fresh)} already fired or were skipped`;
    return `Backfilling ${plural(fresh, "slot")} of ${name}${left}`;
  });
  return (
    <Dialog title={`Backfill ${name}`} onClose={onClose}>
      <Form
        sending={sending}
        button={found ? `Fire ${plural(wanted, isAllFresh ? "slot" : "new slot")}` : "Fire"}
        isDisabled={wanted === 0}
      >
        <p className="muted">
          All slots in this period fire now, regardless of the overlap policy. Slots that already fired or were skipped
          are ignored.
        </p>
        <div className="pair">
          <Field
            label="From (local time)"
            type="datetime-local"
            value={from}
            onChange={setFrom}
            error={errorAt("from")}
          />
          <Field label="To (local time)" type="datetime-local" value={to} onChange={setTo} error={errorAt("to")} />
        </div>
        {preview.problem && preview.problem.errors.length === 0 && <ProblemBox problem={preview.problem} />}
        {found && <SlotPreview found={found} fresh={fresh} zone={schedule.timezone} />}
      </Form>
    </Dialog>
  );
}

// `fresh`: the number of slots that have not fired and were not skipped; null if unknown.
function SlotPreview({ found, fresh, zone }: { found: Backfilled; fresh: number | null; zone: string }) {
  const { count, times } = found;
  const last = Date.parse(times.at(-1) ?? "");
  return (
    <div role="status">
      <p className="bulk-count">{count === 0 ? "No slots in this period." : `${plural(count, "slot")}, in ${zone}:`}</p>
      {fresh !== null && fresh !== count && (
        <p>{fresh === 0 ? "All of them" : formatCount(count - fresh)} already fired or were skipped.</p>
      )}
      <ol className="preview-times">
        {times.slice(0, shownMax).map((time) => (
          <li key={time}>{zonedTime(Date.parse(time), zone)}</li>
        ))}
        {count > shownMax && (
          <li className="muted">
            and {formatCount(count - shownMax)} more, to {zonedTime(last, zone)}
          </li>
        )}
      </ol>
    </div>
  );
}
