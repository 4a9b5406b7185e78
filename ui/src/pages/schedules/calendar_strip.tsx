// The last and the next slots on a calendar strip, each with its outcome.
import { useEffect, useMemo, useRef } from "react";
import type { Firing } from "../../api/calls";
import { useNow } from "../../live/use_now";
import { Link } from "../../parts/link";
import { StateShape } from "../../parts/state_mark";
import {
  cellsOf,
  isWithinDay,
  slotClock,
  unitFor,
  zonedTime,
  type Cell,
  type Slot,
  type Unit,
} from "../../text/calendar";
import { inWords } from "../../text/format";

interface Shown extends Slot {
  firing: Firing | null; // null: in the future
}

const shownMax = 4; // per cell; the rest is shown as a count

export function CalendarStrip({ firings, next, zone }: { firings: Firing[]; next: string[]; zone: string }) {
  const now = useNow();
  const strip = useRef<HTMLOListElement>(null);
  const slots = useMemo(() => slotsOf(firings, next), [firings, next]);
  const unit = useMemo(() => {
    const coming = next.slice(0, 20).map((time) => Date.parse(time));
    return unitFor(coming.length > 1 ? coming : slots.map((slot) => slot.at));
  }, [next, slots]);
  const cells = cellsOf(slots, unit, now, zone);

  // If the strip is too wide, scroll to the current time.
  useEffect(() => {
    const list = strip.current;
    const here = list?.querySelector<HTMLElement>(".cell-now");
    if (list && here) list.scrollLeft = here.offsetLeft - (list.clientWidth - here.clientWidth) / 2;
  }, [unit]);

  return (
    <ol className="calendar" ref={strip} tabIndex={0} aria-label={`Slots per ${unit}, in ${zone}`}>
      {cells.map((cell) => (
        <li
          key={cell.key}
          className={cell.isNow ? "calendar-cell cell-now" : "calendar-cell"}
          aria-current={cell.isNow ? "time" : undefined}
        >
          <span className="calendar-head">
            <strong>{cell.name}</strong> {cell.isNow && <em>now</em>}
            {!(cell.isNow && isWithinDay(unit)) && <span className="muted">{cell.note}</span>}
          </span>
          <Slots cell={cell} zone={zone} unit={unit} />
        </li>
      ))}
    </ol>
  );
}

function Slots({ cell, zone, unit }: { cell: Cell<Shown>; zone: string; unit: Unit }) {
  if (cell.slots.length > shownMax) {
    const states = [...new Set(cell.slots.map((slot) => slot.state))];
    return (
      <>
        {states.map((state) => {
          const count = cell.slots.filter((slot) => slot.state === state).length;
          return (
            <span key={state} className="slot" title={`${count} ${inWords(state)}`}>
              <StateShape state={state} /> {count} {state}
            </span>
          );
        })}
      </>
    );
  }
  return (
    <>
      {cell.slots.map((slot) => (
        <span key={slot.at} className="slot" title={titleOf(slot, zone)}>
          <StateShape state={slot.state} /> <Started firing={slot.firing}>{slotClock(slot.at, zone, unit)}</Started>
          <span className="only-heard">{slot.firing ? `${slot.state} ${slot.firing.reason ?? ""}` : "upcoming"}</span>
        </span>
      ))}
    </>
  );
}

// A link to the task or run that a firing started, if any.
export function Started({ firing, children }: { firing: Firing | null; children: string }) {
  if (firing?.run_id)
    return (
      <Link page="runs" id={firing.run_id}>
        {children}
      </Link>
    );
  if (firing?.task_id)
    return (
      <Link page="tasks" id={firing.task_id}>
        {children}
      </Link>
    );
  return <>{children}</>;
}

function titleOf({ at, state, firing }: Shown, zone: string): string {
  const until = firing?.until ? ` to ${zonedTime(Date.parse(firing.until), zone)}` : "";
  const reason = firing?.reason ? `: ${firing.reason}` : "";
  return `${zonedTime(at, zone)}${until}, ${firing ? state : "upcoming"}${reason}`;
}

function slotsOf(firings: Firing[], next: string[]): Shown[] {
  const come = firings.map((firing): Shown => ({ at: Date.parse(firing.fire_at), state: firing.status, firing }));
  const known = new Set(come.map((slot) => slot.at));
  const coming = next.map((time): Shown => ({ at: Date.parse(time), state: "next", firing: null }));
  return [...come, ...coming.filter((slot) => !known.has(slot.at))];
}
