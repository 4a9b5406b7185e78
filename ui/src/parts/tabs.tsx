// Several views of one object; arrow keys switch between them.
import { useId, useState, type KeyboardEvent, type ReactNode } from "react";

export function Tabs({ label, tabs }: { label: string; tabs: { name: string; view: ReactNode }[] }) {
  const [open, setOpen] = useState(0);
  const id = useId();
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = (open + step + tabs.length) % tabs.length;
    setOpen(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <section className="panel tabs">
      <div role="tablist" aria-label={label} onKeyDown={onKey}>
        {tabs.map((tab, i) => (
          <button
            key={i}
            id={`${id}-tab-${i}`}
            type="button"
            role="tab"
            className="tab"
            aria-selected={i === open}
            aria-controls={`${id}-view`}
            tabIndex={i === open ? 0 : -1}
            onClick={() => setOpen(i)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div id={`${id}-view`} role="tabpanel" aria-labelledby={`${id}-tab-${open}`}>
        {tabs[open]?.view}
      </div>
    </section>
  );
}
