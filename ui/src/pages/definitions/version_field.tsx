// Selects a version between 1 and the newest.
import { useId } from "react";

interface Props {
  label: string;
  newest: number;
  value: number;
  onChange: (version: number) => void;
}

export function VersionField({ label, newest, value, onChange }: Props) {
  const id = useId();
  return (
    <span className="filter-field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {value > newest && <option value={value}>{value} (not found)</option>}
        {Array.from({ length: newest }, (_, i) => newest - i).map((version) => (
          <option key={version} value={version}>
            {version}
            {version === newest ? " (latest)" : ""}
          </option>
        ))}
      </select>
    </span>
  );
}
