// What stands around every page: where one can go, the search, the namespace, whether the page is live.
import { useState, type ReactNode } from "react";
import { useTraffic } from "../live/traffic";
import { Link } from "../parts/link";
import { goTo, type PageName, type Route } from "../route/route";
import { SearchBox } from "./search_box";
import { Keyboard } from "./keyboard";
import { useTheme } from "./theme";
import icon from "../style/icon.svg";

const places: { page: PageName; name: string; key: string }[] = [
  { page: "overview", name: "Overview", key: "o" },
  { page: "runs", name: "Runs", key: "r" },
  { page: "tasks", name: "Tasks", key: "t" },
  { page: "dead-letters", name: "Dead letters", key: "d" },
  { page: "queues", name: "Queues", key: "q" },
  { page: "workers", name: "Workers", key: "w" },
  { page: "schedules", name: "Schedules", key: "s" },
  { page: "definitions", name: "Definitions", key: "f" },
];

interface Props {
  route: Route;
  isSignedIn: boolean;
  onSignOut: () => void;
  children: ReactNode;
}

export function Shell({ route, isSignedIn, onSignOut, children }: Props) {
  const [theme, nextTheme] = useTheme();
  return (
    <div className="shell">
      <a className="skip" href="#page" onClick={(event) => (event.preventDefault(), document.getElementById("page")?.focus())}>
        Skip to the page
      </a>
      <header className="top-bar">
        <Link page="overview" className="brand">
          <img src={icon} alt="" width="22" height="22" /> Pawl
        </Link>
        <NamespaceField ns={route.ns} page={route.page} />
        <SearchBox />
        <LiveMark />
        <button type="button" className="quiet" onClick={nextTheme} title="Light, dark, or as the system has it">
          <span className="theme-word">Theme: </span>
          {theme}
        </button>
        {isSignedIn && (
          <button type="button" className="quiet" onClick={onSignOut}>
            Sign out
          </button>
        )}
      </header>
      <nav className="places" aria-label="Pages">
        {places.map(({ page, name, key }) => (
          <Link key={page} page={page} className={page === route.page ? "place here" : "place"}>
            <span aria-current={page === route.page ? "page" : undefined}>{name}</span>
            <kbd aria-hidden="true">g {key}</kbd>
          </Link>
        ))}
      </nav>
      <main id="page" className="page" tabIndex={-1}>
        {children}
      </main>
      <Keyboard places={places} ns={route.ns} />
    </div>
  );
}

function NamespaceField({ ns, page }: { ns: string; page: PageName }) {
  const [text, setText] = useState(ns);
  return (
    <form
      className="namespace"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) goTo({ ns: text.trim(), page });
      }}
    >
      <label htmlFor="namespace">namespace</label>
      <input
        id="namespace"
        value={text}
        size={Math.max(7, Math.min(20, text.length))}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onBlur={() => setText(ns)}
      />
    </form>
  );
}

function LiveMark() {
  const { following } = useTraffic();
  const words = { connecting: "connecting", live: "live", lost: "reconnecting", over: "not live" }[following];
  return (
    <span className={`live ${following}`} role="status" title="Whether changes come to this page by themselves">
      <span className="live-dot" aria-hidden="true" /> {words}
    </span>
  );
}
