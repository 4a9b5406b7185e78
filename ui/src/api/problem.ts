// A failed call: the server's problem+json, or an unreachable server.
import type { FieldError, Problem as ProblemBody } from "./calls";

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly requestId: string | null = null,
    readonly errors: FieldError[] = [], // by field, if the server reports any
  ) {
    super(detail);
  }

  static unreachable(): Problem {
    return new Problem(0, "unreachable", "The server cannot be reached. The page reconnects automatically.");
  }
}

// A request that is not sent because these fields are invalid.
export function invalidFields(errors: FieldError[]): Problem {
  return new Problem(
    400,
    "invalid_argument",
    errors.map(({ field, message }) => `${field}: ${message}`).join(", "),
    null,
    errors,
  );
}

// The problem for users. Only an administrator can fix a token that lacks the role or the namespace.
export function problemInWords({ status, detail }: Problem): string {
  return status === 403
    ? `${detail}. Sign in with a token that has this permission, or ask an administrator for one.`
    : detail;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, "internal", error instanceof Error ? error.message : String(error));
}

export async function problemFrom(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Partial<ProblemBody>; // a proxy may send other JSON
    return new Problem(
      response.status,
      body.code ?? "unknown",
      body.detail ?? body.title ?? text,
      body.request_id,
      body.errors,
    );
  } catch {
    return new Problem(response.status, "unknown", text || response.statusText);
  }
}
