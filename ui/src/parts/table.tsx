// A table of any length: only the rows in sight are in the page. Up and Down (or j and k) move, Enter opens.
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

export interface Column<Row> {
  name: string;
  width: string; // of a CSS grid
  cell: (row: Row) => ReactNode;
  isSecondary?: boolean; // left out where there is little room
  isNumber?: boolean;
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
  onEnd?: () => void; // the last rows are in sight
  hasMore?: boolean;
}

const rowHeight = 34;
const rowsBeyond = 8; // drawn above and below what is in sight, so that scrolling shows no gaps
const narrowBelow = 720;

export function Table<Row>({ label, columns, rows, keyOf, onOpen, onEnd, hasMore = false }: Props<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, width: 1200 });
  const [chosen, setChosen] = useState(-1);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, []);

  const shown = columns.filter((column) => view.width >= narrowBelow || !column.isSecondary);
  const grid = { gridTemplateColumns: shown.map((column) => column.width).join(" ") };
  const first = Math.max(0, Math.floor(view.top / rowHeight) - rowsBeyond);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + rowsBeyond);
  const isNearEnd = last >= rows.length - 5;
  useEffect(() => {
    if (isNearEnd && hasMore) onEnd?.();
  }, [isNearEnd, hasMore, onEnd, rows.length]);

  const move = (to: number) => {
    const next = Math.min(rows.length - 1, Math.max(0, to));
    setChosen(next);
    const element = box.current;
    if (!element) return;
    const top = next * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + 2 * rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = top + 2 * rowHeight - element.clientHeight;
  };
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15 };
    const step = steps[event.key];
    const row = rows[chosen];
    if (event.key === "Enter" && row && event.target === box.current) onOpen?.(row);
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(chosen + step);
  };

  return (
    <div
      ref={box}
      className="table"
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      tabIndex={0}
      onKeyDown={onKey}
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
              // A link or button in the row does its own thing.
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
