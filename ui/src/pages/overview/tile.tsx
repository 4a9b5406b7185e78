// One number with its name.
import type { ReactNode } from "react";
import type { Tone } from "../../text/states";

interface Props {
  name: string;
  value: ReactNode;
  hint: string;
  tone?: Tone | undefined;
}

export function Tile({ name, value, hint, tone }: Props) {
  return (
    <div className="tile">
      <span className="tile-name">{name}</span>
      <span className={tone ? `tile-value tone-${tone}` : "tile-value"}>{value}</span>
      <span className="tile-hint">{hint}</span>
    </div>
  );
}
