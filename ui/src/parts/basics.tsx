// The page's basic elements: a time, an id, an empty place, a problem.
import type { ReactNode } from "react";
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
