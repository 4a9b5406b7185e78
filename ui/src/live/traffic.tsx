// The server's traffic while this page is open: the queues as they change, and the counters every two seconds. The
// provider is above the pages, so that opening a run leaves no gap in the charts.
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useConnection } from "../api/context";
import type { Queue } from "../api/calls";
import type { Page } from "../api/types";
import { problemOf, type Problem } from "../api/problem";
import { durationMs } from "../text/format";
import { History } from "./history";
import { metricTotals } from "./metrics";
import { useEvents, type Following } from "./use_events";
import { useNow } from "./use_now";

export interface Traffic {
  queues: Queue[] | null;
  queuesAt: number; // when they were received, ms
  following: Following;
  history: History;
  problem: Problem | null; // of the counters
  refusal: Problem | null; // the namespace is forbidden or unreadable
  round: number; // incremented with every sample
}

const sampleEveryMs = 2000;
const TrafficContext = createContext<Traffic>({
  queues: null,
  queuesAt: 0,
  following: "connecting",
  history: new History(),
  problem: null,
  refusal: null,
  round: 0,
});

export function TrafficProvider({ children }: { children: ReactNode }) {
  const { client, ns } = useConnection();
  const [queues, setQueues] = useState<Queue[] | null>(null);
  const [queuesAt, setQueuesAt] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  const history = useMemo(() => new History(), [client, ns]);
  const input = useMemo(() => ({ path: { ns } }), [ns]);
  const seen = useRef<Queue[]>([]);

  const { following, refusal } = useEvents({
    client,
    name: "GET /v1/{ns}/queues",
    input,
    onEvent: (event) => {
      seen.current = (JSON.parse(event.data) as Page<Queue>).items;
      setQueues(seen.current);
      setQueuesAt(Date.now());
    },
  });

  useEffect(() => {
    setQueues(null);
    seen.current = [];
    const sample = async () => {
      try {
        const totals = metricTotals(await client.call("GET /metrics"));
        history.add({ ...totals, ...depthsOf(seen.current) }, Date.now());
        setProblem(null);
      } catch (error) {
        setProblem(problemOf(error));
      }
      setRound((n) => n + 1);
    };
    void sample();
    const timer = window.setInterval(sample, sampleEveryMs);
    return () => window.clearInterval(timer);
  }, [client, ns, history]);

  const value = useMemo(
    () => ({ queues, queuesAt, following, history, problem, refusal, round }),
    [queues, queuesAt, following, history, problem, refusal, round],
  );
  return <TrafficContext.Provider value={value}>{children}</TrafficContext.Provider>;
}

function depthsOf(queues: Queue[]): Record<string, number> {
  return Object.fromEntries(queues.map((queue) => [`depth:${queue.name}`, depthOf(queue)]));
}

// The number of tasks that wait for a worker, now or later.
export function depthOf({ counts }: Queue): number {
  return counts.pending + counts.scheduled + counts.blocked;
}

export function useTraffic(): Traffic {
  return useContext(TrafficContext);
}

// The current age of the first claimable task, ms: the server sends changes of counts, but not of ages.
export function useOldest(): (queue: Queue) => number {
  const { queuesAt } = useTraffic();
  const now = useNow();
  return (queue) => {
    const age = durationMs(queue.oldest_pending_age);
    return age === null ? 0 : age + Math.max(0, now - queuesAt);
  };
}
