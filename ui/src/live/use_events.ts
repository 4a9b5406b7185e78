// Follows a stream of events. Resumes a broken stream at its last event, with a backoff of at most ten seconds.
import { useEffect, useRef, useState } from "react";
import type { CallInput, CallName, Client } from "../api/client";
import { readEvents, type ServerEvent } from "../api/events";
import { Problem } from "../api/problem";

const waitMinMs = 500;
const waitMaxMs = 10_000;

export type Following = "connecting" | "live" | "lost" | "over";

export interface Followed {
  following: Following;
  refusal: Problem | null; // why it ended, if it was refused
}

interface Options<Name extends CallName> {
  client: Client;
  name: Name;
  input: CallInput<Name>; // must stay the same object (useMemo) while its content does
  onEvent: (event: ServerEvent) => void;
  isWanted?: boolean;
}

export function useEvents<Name extends CallName>(options: Options<Name>): Followed {
  const [following, setFollowing] = useState<Following>("connecting");
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const latest = useRef(options);
  latest.current = options;
  const { client, name, input, isWanted = true } = options;

  useEffect(() => {
    if (!isWanted) return;
    const aborter = new AbortController();
    let lastEventId = "";
    let wait = waitMinMs;
    let timer = 0;
    const follow = async () => {
      try {
        const body = await client.stream(name, { ...input, signal: aborter.signal }, lastEventId);
        setFollowing("live");
        setRefusal(null);
        await readEvents(body, (event) => {
          wait = waitMinMs;
          if (event.id) lastEventId = event.id;
          latest.current.onEvent(event);
        });
      } catch (error) {
        if (aborter.signal.aborted) return;
        // A refused call would be refused again; a broken stream is retried.
        if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429) {
          setFollowing("over");
          setRefusal(error);
          return;
        }
      }
      if (aborter.signal.aborted) return;
      setFollowing("lost");
      timer = window.setTimeout(follow, wait);
      wait = Math.min(wait * 2, waitMaxMs);
    };
    void follow();
    return () => {
      aborter.abort();
      window.clearTimeout(timer);
    };
  }, [client, name, input, isWanted]);

  return { following, refusal };
}
