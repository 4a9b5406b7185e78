// Lines over time, drawn by uPlot: cheap even with thousands of points.
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Line {
  name: string;
  colour: string; // a custom property of the stylesheet
  values: number[];
}

interface Props {
  label: string;
  times: number[]; // s
  lines: Line[];
}

const height = 160;
const secondsMin = 60; // minimum span of the axis: the first samples must not spread over a day
const secondsApart = [5, 10, 15, 30, 60, 120, 300, 600]; // between labels, so that no two read the same

function valueOf(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

function clockOf(seconds: number): string {
  return new Date(seconds * 1000).toTimeString().slice(0, 8);
}

// uPlot draws on a canvas, which has no custom properties, so colors are read when the chart is created.
function optionsOf(lines: Line[], width: number): uPlot.Options {
  const axis = {
    stroke: () => valueOf("--muted-plain"),
    grid: { stroke: () => valueOf("--line-plain"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
    size: 36,
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, min, max) => [Math.min(min, max - secondsMin), max] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [{ ...axis, size: 24, space: 90, incrs: secondsApart, values: (_, seconds) => seconds.map(clockOf) }, axis],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.name,
        stroke: () => valueOf(line.colour),
        width: 1.5,
        points: { show: false },
      })),
    ],
  };
}

export function Chart({ label, times, lines }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const names = lines.map((line) => line.name).join("\n");

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot(optionsOf(lines, Math.max(1, element.clientWidth)), [[], ...lines.map(() => [])], element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: Math.max(1, element.clientWidth), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
    // Created again only for other lines; values are set below.
  }, [names]);

  useEffect(() => {
    plot.current?.setData([times, ...lines.map((line) => line.values)]);
  }, [times, lines]);

  return (
    <figure className="chart">
      <figcaption>
        {label}
        <span className="legend">
          {lines.map((line) => (
            <span key={line.name} className="legend-entry">
              <span className="legend-line" style={{ background: `var(${line.colour})` }} /> {line.name}
            </span>
          ))}
        </span>
      </figcaption>
      <div
        ref={box}
        className="chart-box"
        role="img"
        aria-label={`${label}: ${lines.map((l) => `${l.name} ${l.values.at(-1)?.toFixed(1) ?? 0}`).join(", ")}`}
      />
    </figure>
  );
}
