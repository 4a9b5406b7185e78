// A table of any length: only visible rows are rendered. Up and Down (or j and k) move, Enter opens; j, k and Enter
// also work while nothing has the focus.
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { remember, remembered } from "../route/memory";

export interface Column<Row> {
  name: string;
  width: string; // of a CSS grid
  cell: (row: Row) => ReactNode;
  isSecondary?: boolean; // omitted in narrow tables
  isNumber?: boolean;
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
  onEnd?: () => void; // the last rows are visible
  onVisible?: (rows: Row[]) => void; // these rows are visible
  hasMore?: boolean;
  place?: string; // where the scroll position is remembered for navigation back
}

interface Kept {
  top: number;
  chosen: number;
}

const wideRowHeight = 34;
const narrowRowHeight = 48; // two lines
const rowsBeyond = 8; // rendered above and below the visible rows, so that scrolling shows no gaps
const narrowBelow = 720;
const keysOfPage = ["j", "k", "Enter"]; // the others scroll the page
const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15 };

export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  onOpen,
  onEnd,
  onVisible,
  hasMore = false,
  place = "",
}: Props<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const [kept] = useState(() => remembered<Kept>(place, label));
  const [view, setView] = useState({ top: kept?.top ?? 0, height: 600, width: 1200 });
  const [chosen, setChosen] = useState(kept?.chosen ?? -1);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (kept) element.scrollTop = kept.top;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [kept]);

  const latest = useRef<Kept>({ top: 0, chosen: -1 });
  latest.current = { top: view.top, chosen };
  useEffect(() => () => remember(place, label, latest.current), [place, label]);

  const isNarrow = view.width < narrowBelow;
  const rowHeight = isNarrow ? narrowRowHeight : wideRowHeight;
  const shown = columns.filter((column) => !isNarrow || !column.isSecondary);
  const grid = { gridTemplateColumns: shown.map((column) => column.width).join(" ") };
  const first = Math.max(0, Math.floor(view.top / rowHeight) - rowsBeyond);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + rowsBeyond);
  const isNearEnd = last >= rows.length - 5;
  useEffect(() => {
    if (isNearEnd && hasMore) onEnd?.();
  }, [isNearEnd, hasMore, onEnd, rows.length]);
  useEffect(() => {
    onVisible?.(rows.slice(first, last));
  }, [onVisible, rows, first, last]);

  const move = (to: number) => {
    const next = Math.min(rows.length - 1, Math.max(0, to));
    setChosen(next);
    const element = box.current;
    if (!element) return;
    const top = next * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + 2 * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + 2 * rowHeight - element.clientHeight;
  };
  const onKey = useRef<(event: KeyboardEvent) => void>(() => {});
  onKey.current = (event) => {
    const step = steps[event.key];
    const row = rows[chosen];
    if (event.key === "Enter" && row && isNothing(event.target, box.current)) onOpen?.(row);
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(chosen + step);
  };
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const table = box.current;
      const isInside = event.target instanceof Node && table?.contains(event.target);
      if (isInside || (keysOfPage.includes(event.key) && isNothing(event.target, null) && isFirst(table)))
        onKey.current(event);
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);

  return (
    <div
      ref={box}
      className={isNarrow ? "table narrow" : "table"}
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      tabIndex={0}
    >
      <div className="table-head" role="rowgroup">
        <div className="row" role="row" aria-rowindex={1} style={grid}>
          {shown.map((column) => (
            <span key={column.name} role="columnheader" className={column.isNumber ? "cell number" : "cell"}>
              {column.name}
            </span>
          ))}
        </div>
      </div>
      <div className="table-body" role="rowgroup" style={{ height: rows.length * rowHeight }}>
        {rows.slice(first, last).map((row, i) => (
          <div
            key={keyOf(row)}
            className={first + i === chosen ? "row chosen" : "row"}
            role="row"
            aria-rowindex={first + i + 2}
            aria-current={first + i === chosen}
            data-opens={onOpen ? "" : undefined}
            style={{ ...grid, transform: `translateY(${(first + i) * rowHeight}px)` }}
            onClick={(event) => {
              setChosen(first + i);
              // A link or button in the row handles the click itself.
              if (!(event.target as Element).closest("a, button, input")) onOpen?.(row);
            }}
          >
            {shown.map((column) => (
              <span key={column.name} role="cell" className={column.isNumber ? "cell number" : "cell"}>
                {column.cell(row)}
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

// No element that handles keys has the focus, only the page as a whole or the table.
function isNothing(target: EventTarget | null, table: HTMLElement | null): boolean {
  return target === document.body || target === table || (target instanceof HTMLElement && target.id === "page");
}

// If there are several tables, the first one gets the keys; none does while a dialog is open.
function isFirst(table: HTMLElement | null): boolean {
  return document.querySelector(".table") === table && document.querySelector("dialog[open]") === null;
}
