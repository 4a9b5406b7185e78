// The limits of a queue as text fields, and the request made from them. An empty field clears its limit; an invalid
// number is refused here, since omitting it would clear the limit too.
import type { FieldError, Queue } from "../../api/calls";
import { invalidFields } from "../../api/problem";

export interface LimitsDraft {
  concurrency: string;
  rateLimit: string;
  per: string;
  types: string;
}

export interface Limits {
  max_concurrency: number | null;
  rate: { limit: number; per: string } | null;
  type_concurrency: Record<string, number> | null;
}

const wholeNumber = /^-?\d+$/; // the server checks the range
const needsNumber = "must be a whole number without separators, such as 1000";

export function draftOf(queue: Queue): LimitsDraft {
  return {
    concurrency: queue.max_concurrency?.toString() ?? "",
    rateLimit: queue.rate?.limit.toString() ?? "",
    per: queue.rate?.per ?? "1s",
    types: Object.entries(queue.type_concurrency)
      .map(([type, limit]) => `${type}=${limit}`)
      .join(", "),
  };
}

// Throws a problem with the errors by field.
export function limitsFrom(draft: LimitsDraft): Limits {
  const errors: FieldError[] = [];
  const concurrency = numberFrom(draft.concurrency, "max_concurrency", errors);
  const limit = numberFrom(draft.rateLimit, "rate.limit", errors);
  const limits = {
    max_concurrency: concurrency,
    rate: limit === null ? null : { limit, per: draft.per.trim() },
    type_concurrency: typesFrom(draft.types, errors),
  };
  if (errors.length > 0) throw invalidFields(errors);
  return limits;
}

function numberFrom(text: string, field: string, errors: FieldError[]): number | null {
  const written = text.trim();
  if (written === "") return null;
  if (!wholeNumber.test(written)) errors.push({ field, message: needsNumber });
  return Number(written);
}

function typesFrom(text: string, errors: FieldError[]): Record<string, number> | null {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const entries = parts.map((part): [string, number] => {
    const mark = part.lastIndexOf("=");
    const [type, limit] = [part.slice(0, Math.max(0, mark)).trim(), part.slice(mark + 1).trim()];
    if (type === "" || !wholeNumber.test(limit))
      errors.push({ field: "type_concurrency", message: `“${part}” must have the form type=number` });
    return [type, Number(limit)];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}
