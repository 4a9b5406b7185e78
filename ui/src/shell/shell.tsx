// The frame of every page: navigation, search, the namespace, and whether the page is live.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTraffic } from "../live/traffic";
import { ProblemBox } from "../parts/basics";
import { Link } from "../parts/link";
import { goTo, type PageName, type Route } from "../route/route";
import { shortInTheMiddle } from "../text/format";
import { useKeptFocus } from "./kept_focus";
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

const titleMax = 36; // an id fits

interface Props {
  route: Route;
  isSignedIn: boolean;
  onSignOut: () => void;
  children: ReactNode;
}

export function Shell({ route, isSignedIn, onSignOut, children }: Props) {
  const [theme, nextTheme] = useTheme();
  const { refusal } = useTraffic();
  useKeptFocus("page");
  useTitle(route);
  return (
    <div className="shell">
      <a
        className="skip"
        href="#page"
        onClick={(event) => (event.preventDefault(), document.getElementById("page")?.focus())}
      >
        Skip to content
      </a>
      <header className="top-bar">
        <Link page="overview" className="brand">
          <img src={icon} alt="" width="22" height="22" /> Pawl
        </Link>
        <NamespaceField ns={route.ns} page={route.page} />
        <SearchBox />
        <LiveMark />
        <button
          type="button"
          className="quiet"
          onClick={nextTheme}
          title="Switch between the light, dark and system theme"
        >
          <span className="theme-word">Theme: </span>
          {theme}
        </button>
        {isSignedIn && (
          <button type="button" className="quiet" onClick={onSignOut}>
            Sign out
          </button>
        )}
      </header>
      <Places here={route.page} />
      <main id="page" className="page" tabIndex={-1}>
        {refusal && (
          <>
            <p className="refused">
              The namespace <strong>{route.ns}</strong> cannot be shown:
            </p>
            <ProblemBox problem={refusal} />
          </>
        )}
        {children}
      </main>
      <Keyboard places={places} ns={route.ns} />
    </div>
  );
}

function Places({ here }: { here: PageName }) {
  const strip = useRef<HTMLElement>(null);
  // On a phone the navigation is a strip that is wider than the screen.
  useEffect(() => {
    strip.current?.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [here]);
  return (
    <nav className="places" aria-label="Pages" ref={strip}>
      {places.map(({ page, name, key }) => (
        <Link key={page} page={page} className={page === here ? "place here" : "place"}>
          <span aria-current={page === here ? "page" : undefined}>{name}</span>
          <kbd aria-hidden="true">g {key}</kbd>
        </Link>
      ))}
    </nav>
  );
}

// The title distinguishes tabs and history entries.
function useTitle({ ns, page, id }: Route): void {
  useEffect(() => {
    const place = places.find((one) => one.page === page)?.name ?? "";
    const parts = [id === null ? "" : shortInTheMiddle(id, titleMax), place, ns === "default" ? "" : ns, "Pawl"];
    document.title = parts.filter((part) => part !== "").join(" · ");
  }, [ns, page, id]);
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
      <label htmlFor="namespace">Namespace</label>
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
  const words = { connecting: "Connecting…", live: "Live", lost: "Reconnecting…", over: "Disconnected" }[following];
  return (
    <span className={`live ${following}`} role="status" title="Whether this page receives updates">
      <span className="live-dot" aria-hidden="true" /> {words}
    </span>
  );
}
