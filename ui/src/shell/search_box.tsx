// One field for any id or key.
import { useEffect, useRef, useState } from "react";
import { useConnection } from "../api/context";
import { Link } from "../parts/link";
import { StateMark } from "../parts/state_mark";
import { search, type Found } from "./search";

const pauseMs = 200; // typing goes on; nobody wants to be asked for every letter

export function SearchBox() {
  const { client, ns } = useConnection();
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found[] | null>(null);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const wanted = text.trim();
    setFound(null);
    if (wanted === "") return;
    let isStale = false;
    const timer = window.setTimeout(async () => {
      const results = await search(client, ns, wanted);
      if (!isStale) setFound(results);
    }, pauseMs);
    return () => {
      isStale = true;
      window.clearTimeout(timer);
    };
  }, [client, ns, text]);

  const clear = () => {
    setText("");
    document.getElementById("search")?.blur();
  };
  return (
    <div
      className="search"
      ref={box}
      role="search"
      onKeyDown={(event) => {
        if (event.key === "Escape") clear();
        if (event.key === "Enter" && found?.length === 1) box.current?.querySelector("a")?.click();
      }}
    >
      <input
        id="search"
        type="search"
        placeholder="Search an id or key  ( / )"
        aria-label="Search for an id or a key"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {text.trim() !== "" && (
        <div className="found" aria-live="polite">
          {found === null && <p className="muted">Looking…</p>}
          {found?.length === 0 && <p className="muted">Nothing has exactly this id, key or name in {ns}.</p>}
          {found?.map((one) => (
            <span key={`${one.page} ${one.id}`} onClick={clear}>
              <Link page={one.page} id={one.id} query={one.query ?? {}} className="found-one">
                {one.what} {one.state && <StateMark state={one.state} />}
              </Link>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
