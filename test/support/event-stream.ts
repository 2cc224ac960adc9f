import { until } from '../e2e/until.js';
import { type EventBlock, EventText } from './event-text.js';

/** A server-sent event. */
export interface StreamEvent {
  readonly event: string;
  /** The event's own id; null if it has none. */
  readonly id: string | null;
  readonly data: { readonly kind?: string; readonly ids?: readonly string[]; readonly reason?: string };
}

/** A reader of a stream of server-sent events, which collects what it receives. */
export class EventStream {
  readonly events: StreamEvent[] = [];
  readonly comments: string[] = [];
  /** The id that a reader sends when it reconnects. */
  lastId = '';
  isEnded = false;
  private readonly text = new EventText();

  private constructor(
    readonly response: Response,
    private readonly stopping: AbortController,
  ) {
    void this.read();
  }

  /** Opens a stream. @throws Error unless the answer is 200 */
  static async open(url: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
    const stopping = new AbortController();
    const { signal } = stopping;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers }, signal });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const stream = new EventStream(response, stopping);
    await until('the stream has sent its position', () => stream.lastId !== '' || stream.isEnded);
    return stream;
  }

  /** Returns changes of a kind that name an id. */
  changesOf(kind: string, id: string): StreamEvent[] {
    return this.events.filter(({ event, data }) => event === 'change' && data.kind === kind && data.ids!.includes(id));
  }

  /** Waits for a change of a kind that names an id. */
  waitForChange(kind: string, id: string): Promise<StreamEvent> {
    return until(`a change of ${kind} ${id}`, () => this.changesOf(kind, id)[0]);
  }

  /** Waits for the end of the stream. */
  async waitForEnd(): Promise<void> {
    await until('the stream has ended', () => this.isEnded);
  }

  close(): void {
    this.stopping.abort();
  }

  private async read(): Promise<void> {
    try {
      for await (const chunk of this.response.body!)
        for (const block of this.text.add(chunk as Uint8Array)) this.addBlock(block);
    } catch {
      // aborted, or the connection is lost
    }
    this.isEnded = true;
  }

  private addBlock({ id, event, data, comment }: EventBlock): void {
    if (comment !== null) this.comments.push(comment);
    if (id !== null) this.lastId = id;
    if (data !== null)
      this.events.push({ event: event ?? 'message', id, data: JSON.parse(data) as StreamEvent['data'] });
  }
}
