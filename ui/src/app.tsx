// The frame: the signed-in session, the current namespace and the current page.
import { useCallback, useEffect, useMemo, useState } from "react";
import { Client } from "./api/client";
import { ConnectionContext } from "./api/context";
import { TrafficProvider } from "./live/traffic";
import { NoticesProvider } from "./parts/notices";
import { forgetAll } from "./route/memory";
import { useRoute, type Route } from "./route/route";
import { SignIn } from "./shell/sign_in";
import { Shell } from "./shell/shell";
import { OverviewPage } from "./pages/overview/overview_page";
import { RunsPage } from "./pages/runs/runs_page";
import { RunPage } from "./pages/run/run_page";
import { TasksPage } from "./pages/tasks/tasks_page";
import { TaskPage } from "./pages/tasks/task_page";
import { DeadLettersPage } from "./pages/tasks/dead_letters_page";
import { QueuesPage } from "./pages/queues/queues_page";
import { WorkersPage } from "./pages/workers/workers_page";
import { SchedulesPage } from "./pages/schedules/schedules_page";
import { SchedulePage } from "./pages/schedules/schedule_page";
import { DefinitionsPage } from "./pages/definitions/definitions_page";
import { DefinitionPage } from "./pages/definitions/definition_page";

export function App() {
  const route = useRoute();
  const [client] = useState(() => new Client());
  const [isRefused, setRefused] = useState(false);
  const [session, setSession] = useState(0);

  useEffect(() => client.whenUnauthorized(() => setRefused(true)), [client]);
  const connection = useMemo(() => ({ client, ns: route.ns }), [client, route.ns]);
  const signIn = useCallback(
    (token: string) => {
      client.signIn(token);
      forgetAll();
      setRefused(false);
      setSession((n) => n + 1); // reloads everything for the new session
    },
    [client],
  );
  const signOut = useCallback(() => {
    client.signOut();
    forgetAll();
    setSession((n) => n + 1);
  }, [client]);

  return (
    <ConnectionContext.Provider value={connection}>
      <NoticesProvider>
        {isRefused ? (
          <SignIn wasRefused={client.hasToken} onToken={signIn} />
        ) : (
          <TrafficProvider key={`${session} ${route.ns}`}>
            <Shell route={route} isSignedIn={client.hasToken} onSignOut={signOut}>
              <PageOf route={route} key={`${route.ns}/${route.page}/${route.id ?? ""}`} />
            </Shell>
          </TrafficProvider>
        )}
      </NoticesProvider>
    </ConnectionContext.Provider>
  );
}

function PageOf({ route }: { route: Route }) {
  switch (route.page) {
    case "overview":
      return <OverviewPage />;
    case "runs":
      return route.id ? <RunPage id={route.id} /> : <RunsPage route={route} />;
    case "tasks":
      return route.id ? <TaskPage id={route.id} /> : <TasksPage route={route} />;
    case "dead-letters":
      return <DeadLettersPage />;
    case "queues":
      return <QueuesPage name={route.id} />;
    case "workers":
      return <WorkersPage id={route.id} />;
    case "schedules":
      return route.id ? <SchedulePage name={route.id} /> : <SchedulesPage route={route} />;
    case "definitions":
      return route.id ? <DefinitionPage name={route.id} route={route} /> : <DefinitionsPage route={route} />;
  }
}
