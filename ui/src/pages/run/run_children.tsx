// The runs that this run started.
import { useCallback, useEffect } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { Fact } from "../../parts/basics";
import { Link } from "../../parts/link";
import { StateMark } from "../../parts/state_mark";

const shownMax = 5;

// `round`: a change reloads the children. `isNow`: the page shows a past state, but children are shown in their current
// one.
export function RunChildren({ id, round, isNow }: { id: string; round: number; isNow: boolean }) {
  const { client, ns } = useConnection();
  const load = useCallback(
    (signal: AbortSignal) =>
      client.call("GET /v1/{ns}/runs", { path: { ns }, query: { parent: id, limit: shownMax + 1 }, signal }),
    [client, ns, id],
  );
  const { value, reload } = useLoaded(load);
  useEffect(reload, [round, reload]);
  const children = value?.items ?? [];
  if (children.length === 0) return null;
  return (
    <Fact name={isNow ? "Children (latest)" : "Children"}>
      {children.slice(0, shownMax).map((child) => (
        <span key={child.id} className="child">
          <Link page="runs" id={child.id}>
            {child.workflow}
          </Link>{" "}
          <StateMark state={child.state} />{" "}
        </span>
      ))}
      {children.length > shownMax && (
        <Link page="runs" query={{ parent: id }}>
          View all
        </Link>
      )}
    </Fact>
  );
}
