// Dead letters, grouped by failure: a thousand tasks with one cause are one row and one decision.
import { useCallback, useMemo } from "react";
import { useConnection } from "../../api/context";
import { useLoaded } from "../../live/use_loaded";
import { Command, Empty, ProblemBox } from "../../parts/basics";
import { plural } from "../../text/format";
import { DeadGroupCard } from "./dead_group_card";
import { groupsOf } from "./dead_groups";
import { loadDeadLetters } from "./dead_letters";

export function DeadLettersPage() {
  const { client, ns } = useConnection();
  const load = useCallback((signal: AbortSignal) => loadDeadLetters(client, ns, signal), [client, ns]);
  const loaded = useLoaded(load, 5000);
  const groups = useMemo(() => groupsOf(loaded.value?.tasks ?? []), [loaded.value]);
  return (
    <>
      <h1>Dead letters</h1>
      <p className="muted">
        Tasks that failed permanently or have no attempts left, grouped by type, error code and message pattern.
        {loaded.value &&
          ` ${plural(loaded.value.tasks.length, "task")}${loaded.value.isMore ? " or more" : ""} in ${plural(groups.length, "group")}.`}
      </p>
      <ProblemBox problem={loaded.problem} />
      {loaded.value && groups.length === 0 && (
        <Empty title="No dead letters">
          <p>A task becomes a dead letter when all its attempts have failed. To create one:</p>
          <Command>{`pawl worker --handle 'example.broken=false'
pawl task enqueue example.broken --max-attempts 2`}</Command>
        </Empty>
      )}
      {groups.map((group) => (
        <DeadGroupCard
          key={group.fingerprint}
          group={group}
          isMore={loaded.value?.isMore ?? false}
          failedRuns={loaded.value?.failedRuns ?? null}
          onChange={loaded.reload}
        />
      ))}
    </>
  );
}
