// Server-sent events over fetch: the browser's EventSource cannot send an Authorization header.

export interface ServerEvent {
  id: string;
  type: string;
  data: string;
}

// Assembles whole events from chunks of text.
export class EventParser {
  #rest = "";

  push(text: string): ServerEvent[] {
    this.#rest += text.replace(/\r\n?/g, "\n");
    const blocks = this.#rest.split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map(eventOf).filter((event): event is ServerEvent => event !== null);
  }
}

function eventOf(block: string): ServerEvent | null {
  const event: ServerEvent = { id: "", type: "message", data: "" };
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue; // a comment only keeps the connection alive
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "id") event.id = value;
    if (field === "event") event.type = value;
    if (field === "data") data.push(value);
  }
  if (data.length === 0) return null;
  event.data = data.join("\n");
  return event;
}

export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const event of parser.push(decoder.decode(value, { stream: true }))) onEvent(event);
    }
  } finally {
    reader.releaseLock();
  }
}
