/** One server-sent event. */
export interface ServerEvent {
  /** Null if the event has none. */
  readonly id: string | null;
  /** `message` unless the event specifies another type. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a response body, because the browser's own `EventSource` cannot send the authorization
 * header. Calls `onComment` for each comment, which shows that the connection is alive.
 */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  onComment: () => void,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unread = '';
  let event = emptyEvent();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      unread += decoder.decode(value, { stream: true });
      const lines = unread.split(/\r\n|\n|\r/);
      unread = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (event.data.length > 0) yield { id: event.id, event: event.name, data: event.data.join('\n') };
          event = { ...emptyEvent(), id: event.id };
        } else if (line.startsWith(':')) onComment();
        else readField(event, line);
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

interface PartialEvent {
  id: string | null;
  name: string;
  data: string[];
}

const emptyEvent = (): PartialEvent => ({ id: null, name: 'message', data: [] });

const readField = (event: PartialEvent, line: string): void => {
  const colon = line.indexOf(':');
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'id') event.id = value;
  if (field === 'event') event.name = value;
  if (field === 'data') event.data.push(value);
};
