// The page's basic elements: a time, an id, an empty place, a problem.
import type { ReactNode } from "react";
import type { TaskError } from "../api/calls";
import { useConnection } from "../api/context";
import { problemInWords, type Problem } from "../api/problem";
import { useNow } from "../live/use_now";
import { commandsIn, formatAge, shortId } from "../text/format";

export function Age({ at }: { at: string | null }) {
  const now = useNow();
  return at ? (
    <time dateTime={at} title={at}>
      {formatAge(at, now)}
    </time>
  ) : (
    <span className="muted">–</span>
  );
}

export function Id({ id, whole = false }: { id: string; whole?: boolean }) {
  return (
    <code className="id" title={id}>
      {whole ? id : shortId(id)}
    </code>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

// Commands to copy into a terminal, for the current namespace.
export function Command({ children }: { children: string }) {
  const { ns } = useConnection();
  return (
    <pre className="command" tabIndex={0}>
      {commandsIn(ns, children)}
    </pre>
  );
}

export function ProblemBox({ problem }: { problem: Problem | null }) {
  if (!problem) return null;
  return (
    <div className="problem" role="alert">
      <strong>{problem.code}</strong> {problemInWords(problem)}
      {problem.requestId && <span className="muted"> · request {problem.requestId}</span>}
    </div>
  );
}

// In place of a page whose data is not loaded.
export function NotLoaded({ problem }: { problem: Problem | null }) {
  return problem ? <ProblemBox problem={problem} /> : <p className="muted">Loading…</p>;
}

export function Labels({ labels }: { labels: Record<string, string> }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <span className="labels">
      {entries.map(([name, value]) => (
        <span className="label" key={name} title={`${name}: ${value}`}>
          {name}
          <span className="muted">:</span>
          {value}
        </span>
      ))}
    </span>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// Omitted while there is no such time.
export function AgeFact({ name, at }: { name: string; at: string | null }) {
  return at === null ? null : (
    <Fact name={name}>
      <Age at={at} />
    </Fact>
  );
}

export function ErrorLine({ error }: { error: TaskError | null | undefined }) {
  return error ? (
    <p className="error-line">
      <strong>{error.code}</strong> {error.message}
    </p>
  ) : null;
}
