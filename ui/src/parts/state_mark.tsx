// A state as shape, color and word.
import { inWords } from "../text/format";
import { lookOf, type Shape } from "../text/states";

const paths: Record<Shape, JSX.Element> = {
  ring: <circle cx="6" cy="6" r="4" fill="none" strokeWidth="1.6" stroke="currentColor" />,
  dot: <circle cx="6" cy="6" r="4" fill="currentColor" />,
  play: <path d="M3 1.8 10.2 6 3 10.200z" fill="currentColor" />,
  check: <path d="M1.8 6.4 4.8 9.3 10.3 2.9" fill="none" stroke="currentColor" strokeWidth="2" />,
  cross: <path d="M2.2 2.200l7.6 7.600M9.8 2.200l-7.6 7.6" stroke="currentColor" strokeWidth="2" />,
  square: <path d="M1.5 1.500h9v9h-9zM4 4l4 4M8 4l-4 4" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  loop: <path d="M10 6a4 4 0 1 1-1.5-3.100M8.8.600v2.600H6.2" fill="none" stroke="currentColor" strokeWidth="1.7" />,
  back: (
    <path
      d="M4.5 2 1.8 4.7 4.5 7.400M1.8 4.700H8a2.5 2.5 0 0 1 0 5H5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
    />
  ),
  bars: <path d="M3.5 2v8M8.5 2v8" stroke="currentColor" strokeWidth="2.2" />,
  moon: (
    <path
      d="M6 1.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM6 3.500V6l1.8 1.2"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  ),
  dash: <path d="M2 6h8" stroke="currentColor" strokeWidth="2" />,
};

export function StateShape({ state }: { state: string }) {
  const { tone, shape } = lookOf(state);
  return (
    <svg className={`shape tone-${tone}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {paths[shape]}
    </svg>
  );
}

export function StateMark({ state }: { state: string }) {
  return (
    <span className={`state tone-${lookOf(state).tone}`} data-state={state}>
      <StateShape state={state} />
      {inWords(state)}
    </span>
  );
}
