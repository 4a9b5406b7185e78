// Filters that are part of the address, so that a filtered view can be bookmarked and shared.
import { useId, useState } from "react";
import { replaceQuery, type Route } from "../route/route";
import { inWords, localTime, utcTime } from "../text/format";

interface Props {
  route: Route;
  states: { name: string; values: readonly string[] };
  only?: string; // a filter that is on or off, separate from the states
  fields: { name: string; label: string; hint?: string }[];
}

export function FilterBar({ route, states, only, fields }: Props) {
  const query = Object.fromEntries(route.query);
  const set = (name: string, value: string) => replaceQuery(route, { ...query, [name]: value });
  const chosen = (query[states.name] ?? "").split(",").filter((state) => state !== "");
  const toggle = (state: string) => {
    const next = chosen.includes(state) ? chosen.filter((one) => one !== state) : [...chosen, state];
    set(states.name, next.join(","));
  };
  const isUsed = fields.some((field) => query[field.name]);
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <div className="filters" role="group" aria-label="Filters">
      <div className="chips">
        {states.values.map((state) => (
          <button
            key={state}
            type="button"
            className="chip"
            aria-pressed={chosen.includes(state)}
            onClick={() => toggle(state)}
          >
            {inWords(state)}
          </button>
        ))}
        {only && (
          <span className="only">
            <span className="muted">only</span>
            <button
              type="button"
              className="chip"
              aria-pressed={query[only] === "true"}
              onClick={() => set(only, query[only] === "true" ? "" : "true")}
            >
              {inWords(only)}
            </button>
          </span>
        )}
        <button type="button" className="chip more-filters" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Fewer filters" : "More filters"}
        </button>
      </div>
      <div className={isOpen ? "filter-fields open" : "filter-fields"}>
        {fields.map((field) => (
          <FilterField
            key={field.name}
            {...field}
            value={query[field.name] ?? ""}
            onChange={(value) => set(field.name, value)}
          />
        ))}
        {Object.values(query).some((value) => value !== "") && (
          <button type="button" className="quiet" onClick={() => replaceQuery(route, {})}>
            Clear all
          </button>
        )}
      </div>
    </div>
  );
}

interface FieldProps {
  name: string;
  label: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
}

// Times are entered in the user's time zone and sent in UTC.
function FilterField({ name, label, hint, value, onChange }: FieldProps) {
  const id = useId();
  const isTime = name.startsWith("created_");
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? (isTime ? localTime(value) : value);
  const settle = () => {
    if (text === null) return;
    setText(null);
    onChange(isTime ? utcTime(text) : text.trim());
  };
  return (
    <span className="filter-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={isTime ? "datetime-local" : "text"}
        placeholder={hint}
        spellCheck={false}
        value={shown}
        onChange={(event) => setText(event.target.value)}
        onBlur={settle}
        onKeyDown={(event) => event.key === "Enter" && settle()}
      />
    </span>
  );
}
