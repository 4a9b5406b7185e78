// The actions on everything that matches the filter of a list.
import { useState } from "react";
import { BulkDialog, type Bulk } from "./bulk_dialog";

export type BulkVerb = "retry" | "cancel";

const labels: Record<BulkVerb, string> = { retry: "Retry by filter…", cancel: "Cancel by filter…" };

interface Props {
  bulkOf: (verb: BulkVerb) => Bulk;
  onDone: () => void;
  notPossible?: string; // why the buttons are disabled
}

export function BulkButtons({ bulkOf, onDone, notPossible = "" }: Props) {
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const close = () => {
    setBulk(null);
    onDone();
  };
  return (
    <>
      {(Object.keys(labels) as BulkVerb[]).map((verb) => (
        <button
          key={verb}
          type="button"
          className="plain"
          disabled={notPossible !== ""}
          title={notPossible}
          onClick={() => setBulk(bulkOf(verb))}
        >
          {labels[verb]}
        </button>
      ))}
      {bulk && <BulkDialog bulk={bulk} onClose={close} />}
    </>
  );
}
