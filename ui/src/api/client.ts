// The only way to call the server. The token lives only in this object: closing or reloading the page forgets it, and
// no script of another page, storage or address ever gets it.
import type { Calls } from "./calls";
import { Problem, problemFrom } from "./problem";

export type CallName = keyof Calls;

export interface CallInput<Name extends CallName> {
  path?: Calls[Name]["path"];
  query?: Calls[Name]["query"];
  body?: Calls[Name]["body"];
  // Instead of `body`: JSON text written by the user, sent unchanged.
  bodyText?: string;
  signal?: AbortSignal;
  // Sent as If-Match: the server refuses the action if the run has changed since it was read.
  sequence?: number;
}

export interface Answer<Value> {
  value: Value;
  text: string; // the unparsed response, for values that must be shown byte for byte
}

export class Client {
  #token = "";
  #onUnauthorized: () => void = () => {};

  signIn(token: string): void {
    this.#token = token;
  }

  signOut(): void {
    this.#token = "";
  }

  get hasToken(): boolean {
    return this.#token !== "";
  }

  whenUnauthorized(listener: () => void): void {
    this.#onUnauthorized = listener;
  }

  async call<Name extends CallName>(name: Name, input: CallInput<Name> = {}): Promise<Calls[Name]["response"]> {
    return (await this.callForText(name, input)).value;
  }

  async callForText<Name extends CallName>(
    name: Name,
    input: CallInput<Name> = {},
  ): Promise<Answer<Calls[Name]["response"]>> {
    const response = await this.#send(name, input, "application/json");
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
    return { value: (isJson ? JSON.parse(text) : text) as Calls[Name]["response"], text };
  }

  // The body of a streaming call, as server-sent events.
  async stream<Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
    lastEventId: string,
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#send(name, input, "text/event-stream", lastEventId);
    if (!response.body) throw Problem.unreachable();
    return response.body;
  }

  async #send<Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
    accept: string,
    lastEventId = "",
  ): Promise<Response> {
    const [method = "GET", template = ""] = name.split(" ");
    let response: Response;
    try {
      response = await fetch(addressOf(template, input.path ?? {}, input.query ?? {}), {
        method,
        headers: this.#headersOf(input, accept, lastEventId),
        ...bodyOf(input),
        ...(input.signal ? { signal: input.signal } : {}),
        cache: "no-store",
        credentials: "omit",
      });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw Problem.unreachable();
    }
    if (response.status === 401) this.#onUnauthorized();
    if (!response.ok) throw await problemFrom(response);
    return response;
  }

  #headersOf<Name extends CallName>(input: CallInput<Name>, accept: string, lastEventId: string): Headers {
    const headers = new Headers({ Accept: accept });
    if (this.#token) headers.set("Authorization", `Bearer ${this.#token}`);
    if (lastEventId) headers.set("Last-Event-ID", lastEventId);
    if (input.sequence !== undefined) headers.set("If-Match", String(input.sequence));
    return headers;
  }
}

function bodyOf<Name extends CallName>({ bodyText, body }: CallInput<Name>): { body?: string } {
  if (bodyText !== undefined) return { body: bodyText };
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

function addressOf(template: string, path: object, query: object): string {
  const values = path as Record<string, string | number>;
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  const search = parameters.toString();
  // Relative to the page, so that a proxy can serve the whole server below a path.
  return `.${filled}${search ? `?${search}` : ""}`;
}
