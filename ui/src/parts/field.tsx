// A labeled field with its hint and its error.
import { useId, type ReactNode } from "react";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  type?: "text" | "datetime-local";
  hint?: ReactNode; // below the field
  error?: string | null; // instead of the hint
  suggestions?: readonly string[];
  placeholder?: string;
}

export function Field({ label, value, onChange, type = "text", hint, error, suggestions, placeholder }: Props) {
  const id = useId();
  const says = error ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        list={suggestions ? `${id}-list` : undefined}
        aria-invalid={error ? true : undefined}
        aria-describedby={says ? `${id}-says` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {says && (
        <p
          id={`${id}-says`}
          className={error ? "field-says tone-bad" : "field-says muted"}
          role={error ? "alert" : undefined}
        >
          {says}
        </p>
      )}
    </div>
  );
}

// A choice of a few options, all visible.
interface ChoiceProps<Name extends string> {
  label: string;
  names: Record<Name, string>;
  value: Name;
  onChange: (name: Name) => void;
}

export function Choice<Name extends string>({ label, names, value, onChange }: ChoiceProps<Name>) {
  const id = useId();
  return (
    <fieldset className="choice">
      <legend>{label}</legend>
      {(Object.keys(names) as Name[]).map((name) => (
        <label key={name}>
          <input type="radio" name={id} checked={name === value} onChange={() => onChange(name)} /> {names[name]}
        </label>
      ))}
    </fieldset>
  );
}

interface SelectProps<Name extends string> {
  label: string;
  options: { name: Name; label: string }[];
  value: Name;
  onChange: (name: Name) => void;
}

export function SelectField<Name extends string>({ label, options, value, onChange }: SelectProps<Name>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value as Name)}>
        {options.map((option) => (
          <option key={option.name} value={option.name}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
