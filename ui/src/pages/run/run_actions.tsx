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
  said: string;
  kind: "plain" | "main" | "danger";
  asks?: string; // describes the consequences if the action cannot be undone
}

const actions: Action[] = [
  {
    verb: "retry",
    name: "Retry",
    from: ["failed"],
    said: "The run goes on from what failed; what completed is kept",
    kind: "main",
  },
  {
    verb: "retry",
    name: "Retry compensation",
    from: ["compensation_failed"],
    said: "The failed compensations run again",
    kind: "main",
  },
  { verb: "resume", name: "Resume", from: ["paused"], said: "The run goes on", kind: "main" },
  {
    verb: "pause",
    name: "Pause",
    from: ["running", "sleeping"],
    said: "Nothing new starts; what runs may finish",
    kind: "plain",
  },
  {
    verb: "compensate",
    name: "Compensate",
    from: ["failed"],
    said: "What the run did is undone, in reverse order",
    kind: "plain",
    asks: "What the run did is undone, in reverse order, by the compensations of its tasks. It cannot be retried after that.",
  },
  {
    verb: "cancel",
    name: "Cancel",
    from: ["created", "running", "sleeping", "paused"],
    said: "The run is cancelled",
    kind: "danger",
    asks: "Nothing more of it starts, what runs is asked to stop, its child runs are cancelled, and what was done is undone if the workflow says so. It cannot be taken up again.",
  },
  {
    verb: "terminate",
    name: "Terminate",
    from: ["created", "running", "sleeping", "paused", "failing", "compensating"],
    said: "The run is terminated",
    kind: "danger",
    asks: "The run and its child runs end now: nothing is undone, no worker is asked, and leases on their tasks are revoked. Cancel instead to undo what was done.",
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
  const act = (verb: Verb, said: string) => async () => {
    await client.call(`POST /v1/{ns}/runs/{id}/${verb}`, { path: { ns, id: run.id }, body: {} });
    onChange();
    return said;
  };
  return (
    <>
      {actions
        .filter(({ from }) => from.includes(run.state))
        .map(({ verb, name, said, kind, asks }) =>
          asks === undefined ? (
            <ActionButton key={name} does={act(verb, said)} kind={kind}>
              {name}
            </ActionButton>
          ) : (
            <ConfirmButton
              key={name}
              title={`${name} this run of ${run.workflow}`}
              says={asks}
              confirm={`${name} the run`}
              does={act(verb, said)}
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
