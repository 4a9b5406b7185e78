// The actions that a run allows in its current state.
import { useState } from "react";
import { useConnection } from "../../api/context";
import type { DefinitionTask, RunState, RunWithTasks } from "../../api/calls";
import { ActionButton } from "../../parts/action_button";
import { ConfirmButton } from "../../parts/confirm_button";
import { SignalDialog } from "./signal_dialog";

type Verb = "pause" | "resume" | "cancel" | "retry" | "compensate" | "terminate";

interface Action {
  verb: Verb;
  name: string;
  from: RunState[];
  message: string;
  kind: "plain" | "main" | "danger";
  consequences?: string; // of an action that must be confirmed
}

const actions: Action[] = [
  {
    verb: "retry",
    name: "Retry",
    from: ["failed"],
    message: "Run continues from the failed step; completed results are kept",
    kind: "main",
  },
  {
    verb: "retry",
    name: "Retry compensation",
    from: ["compensation_failed"],
    message: "Failed compensations run again",
    kind: "main",
  },
  { verb: "resume", name: "Resume", from: ["paused"], message: "Run resumed", kind: "main" },
  {
    verb: "pause",
    name: "Pause",
    from: ["running", "sleeping"],
    message: "Run paused: no new tasks start, running tasks can finish",
    kind: "plain",
  },
  {
    verb: "compensate",
    name: "Compensate",
    from: ["failed"],
    message: "Compensation started",
    kind: "plain",
    consequences: "The compensations of completed tasks run in reverse order. The run cannot be retried afterwards.",
  },
  {
    verb: "cancel",
    name: "Cancel",
    from: ["created", "running", "sleeping", "paused"],
    message: "Run cancelled",
    kind: "danger",
    consequences:
      "No new tasks start, running tasks and child runs are cancelled, and completed tasks are compensated if the workflow defines it. This cannot be undone.",
  },
  {
    verb: "terminate",
    name: "Terminate",
    from: ["created", "running", "sleeping", "paused", "failing", "compensating"],
    message: "Run terminated",
    kind: "danger",
    consequences:
      "The run and its child runs end immediately, without compensation, and leases on their tasks are revoked. To compensate completed tasks, cancel the run instead.",
  },
];
const takesSignals: RunState[] = ["created", "running", "sleeping", "paused"];

interface Props {
  run: RunWithTasks;
  tasks: DefinitionTask[];
  chosen: string | null;
  onChange: () => void;
}

export function RunActions({ run, tasks, chosen, onChange }: Props) {
  const { client, ns } = useConnection();
  const [isSignalling, setSignalling] = useState(false);
  const act = (verb: Verb, message: string) => async () => {
    await client.call(`POST /v1/{ns}/runs/{id}/${verb}`, { path: { ns, id: run.id }, body: {} });
    onChange();
    return message;
  };
  return (
    <>
      {actions
        .filter(({ from }) => from.includes(run.state))
        .map(({ verb, name, message, kind, consequences }) =>
          consequences === undefined ? (
            <ActionButton key={name} action={act(verb, message)} kind={kind}>
              {name}
            </ActionButton>
          ) : (
            <ConfirmButton
              key={name}
              title={`${name} this run of ${run.workflow}`}
              consequences={consequences}
              confirm={`${name} the run`}
              dismiss={verb === "cancel" ? "Keep the run" : "Cancel"}
              action={act(verb, message)}
              kind={kind}
            >
              {name}…
            </ConfirmButton>
          ),
        )}
      {takesSignals.includes(run.state) && (
        <button type="button" className="plain" onClick={() => setSignalling(true)}>
          Signal…
        </button>
      )}
      {isSignalling && (
        <SignalDialog
          run={run}
          names={signalsOf(run, tasks, chosen)}
          onClose={() => {
            setSignalling(false);
            onChange();
          }}
        />
      )}
    </>
  );
}

// The signals of the definition; those of the chosen task and of waiting tasks come first.
function signalsOf(run: RunWithTasks, tasks: DefinitionTask[], chosen: string | null): string[] {
  const waiting = new Set(run.tasks?.filter((task) => task.state === "waiting").map((task) => task.node_id));
  const rank = (task: DefinitionTask) => (task.id === chosen ? 0 : waiting.has(task.id) ? 1 : 2);
  const signals = tasks.filter((task) => task.signal !== undefined).sort((a, b) => rank(a) - rank(b));
  return [...new Set(signals.map((task) => task.signal ?? ""))];
}
