// One field for any id or name. Up and Down select among the results, Enter opens one.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useConnection } from "../api/context";
import { useTraffic } from "../live/traffic";
import { ProblemBox } from "../parts/basics";
import { StateMark } from "../parts/state_mark";
import { addressOf } from "../route/route";
import { search, type Results } from "./search";

const pauseMs = 200; // of typing, to avoid a search for every letter

export function SearchBox() {
  const { client, ns } = useConnection();
  const { queues } = useTraffic();
  const [text, setText] = useState("");
  const [results, setResults] = useState<Results | null>(null);
  const [chosen, setChosen] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const known = useRef(queues);
  known.current = queues;

  useEffect(() => {
    const wanted = text.trim();
    setResults(null);
    setChosen(0);
    if (wanted === "") return;
    let isStale = false;
    const timer = window.setTimeout(async () => {
      const answer = await search({ client, ns, text: wanted, queues: known.current ?? [] });
      if (!isStale) setResults(answer);
    }, pauseMs);
    return () => {
      isStale = true;
      window.clearTimeout(timer);
    };
  }, [client, ns, text]);

  const found = results?.found ?? [];
  const clear = () => {
    setText("");
    document.getElementById("search")?.blur();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") clear();
    if (event.key === "Enter") box.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.click();
    if (step === 0 || found.length === 0) return;
    event.preventDefault();
    setChosen((chosen + step + found.length) % found.length);
  };
  const isOpen = text.trim() !== "";
  return (
    <div className="search" ref={box} role="search" onKeyDown={onKey}>
      <input
        id="search"
        type="search"
        role="combobox"
        placeholder="Search by ID or name ( / )"
        aria-label="Search by ID, key or name"
        aria-expanded={isOpen}
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${chosen}` : undefined}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {isOpen && (
        <div className="found">
          <p className={found.length > 0 ? "only-heard" : "muted"} role="status">
            {results === null
              ? "Searching…"
              : found.length > 0
                ? `${found.length} found`
                : `No exact match for this ID, key or name in ${ns}.`}
          </p>
          <ProblemBox problem={results?.problem ?? null} />
          <div id="found" role="listbox" aria-label="Search results">
            {found.map((one, i) => (
              <a
                key={`${one.page} ${one.id}`}
                id={`found-${i}`}
                role="option"
                aria-selected={i === chosen}
                tabIndex={-1}
                className="found-one"
                href={addressOf({ ns, page: one.page, id: one.id, query: one.query ?? {} })}
                onClick={clear}
              >
                {one.what} {one.state && <StateMark state={one.state} />}
              </a>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
