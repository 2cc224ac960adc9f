import type {
  AppendResult,
  Batch,
  EventStore,
  ExpectedRevision,
  NewEvent,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  StoredEvent,
  SubscribeOptions,
} from '../../../src/event-store/port.js';
import type { Bystander, RelayedCall } from '../../platforms/wire/relay.js';

/** Where a worker's life on one channel ends: at its n-th point, before or after that had its effect. */
export interface Cut {
  /** From 0. */
  readonly point: number;
  readonly when: 'before' | 'after';
}

/** What everything fails with once a worker is dead on a channel. */
export class CutShort extends Error {
  constructor() {
    super('this worker is dead');
    this.name = 'CutShort';
  }
}

/** One worker's life on one channel: the points it has come to, each an append or a call to the network. */
export interface Life {
  readonly trace: string[];
  readonly cut: Cut | null;
  isOver: boolean;
}

/** By these a call is known as a channel's: each channel has credentials of its own. */
const MARK = /ch(\d+)x/;
export const markOf = (channel: number): string => `ch${channel}x`;

/**
 * Lives of workers that end at a named point: from there on nothing of the worker reaches the event store or the network
 * on that channel, as if its process were dead. Points are passed one after the other, because a channel is worked off
 * by one worker, step by step.
 */
export class Lives {
  private lives = new Map<number, Life>();
  private readonly channels = new Map<string, number>();
  private readonly publications = new Map<string, number>();
  private readonly uploads = new Map<string, number>();

  /** Makes a channel known. @param channel the number in its credentials */
  know(channelId: string, channel: number): void {
    this.channels.set(channelId, channel);
  }

  /** Begins new lives, all others forgotten. */
  begin(cuts: ReadonlyMap<number, Cut | null>): void {
    this.lives = new Map([...cuts].map(([channel, cut]) => [channel, { trace: [], cut, isOver: false }]));
  }

  of(channel: number): Life {
    return this.lives.get(channel)!;
  }

  /** A store as a worker with these lives has it. */
  readonly store = (inner: EventStore): EventStore => new CutStore(inner, this);

  /** Who stands between such a worker and a network. */
  readonly bystander: Bystander = {
    asked: (call) => {
      const channel = this.channelOfCall(call);
      return channel === null || this.come(channel, `call ${nameOfCall(call)}`) !== null;
    },
    answered: (call, { body }) => {
      const channel = this.channelOfCall(call);
      if (channel === null) return true;
      for (const [, path] of body.toString().matchAll(/"(?:upload_)?url":"https?:[^"]*?(\/upload\/[^"]+)"/g)) {
        this.uploads.set(path!.replaceAll('\\/', '/'), channel);
      }
      return this.leave(channel);
    },
  };

  /** The channel that an append or a read is about; null: of no one channel. */
  channelOf(stream: string, events: readonly NewEvent[] = []): number | null {
    const [category, id = ''] = stream.split(/-(.*)/, 2);
    if (category === 'channel' || category === 'channelPause') return this.channels.get(id) ?? null;
    if (category !== 'publication') return null;
    const [first] = events;
    if (first) {
      const { channelId } = JSON.parse(first.data) as { readonly channelId: string };
      const channel = this.channels.get(channelId);
      if (channel !== undefined) this.publications.set(id, channel);
    }
    return this.publications.get(id) ?? null;
  }

  /** Comes to a point; null where the life is over, or ends here. */
  come(channel: number, name: string): true | null {
    const life = this.lives.get(channel);
    if (!life) return true;
    if (life.isOver) return null;
    const point = life.trace.push(name) - 1;
    if (life.cut?.point === point && life.cut.when === 'before') life.isOver = true;
    return life.isOver ? null : true;
  }

  /** Leaves the point it came to last, which has had its effect; false where the life is over. */
  leave(channel: number): boolean {
    const life = this.lives.get(channel);
    if (!life) return true;
    if (life.cut?.when === 'after' && life.cut.point === life.trace.length - 1) life.isOver = true;
    return !life.isOver;
  }

  private channelOfCall({ path, headers, body }: RelayedCall): number | null {
    const mark = MARK.exec(`${path} ${headers.authorization ?? ''} ${body.toString('latin1', 0, 16_384)}`)?.[1];
    return mark === undefined ? (this.uploads.get(path) ?? null) : Number(mark);
  }
}

const nameOfCall = ({ path, body }: RelayedCall): string => {
  if (path.startsWith('/upload/')) return 'upload';
  if (path.startsWith('/fb.do')) return /(?:^|&)method=([\w.]+)/.exec(body.toString())?.[1] ?? path;
  return /\/([\w.]+)(?:\?.*)?$/.exec(path)?.[1] ?? path;
};

/** The event store as a worker has it whose lives may end. */
class CutStore implements EventStore {
  constructor(
    private readonly inner: EventStore,
    private readonly lives: Lives,
  ) {}

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const channel = this.lives.channelOf(stream, events);
    if (channel === null) return this.inner.append(stream, expected, events);
    if (!this.lives.come(channel, events.map(({ type }) => type).join('+'))) throw new CutShort();
    const result = await this.inner.append(stream, expected, events);
    if (!this.lives.leave(channel)) throw new CutShort();
    return result;
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]> {
    const channel = this.lives.channelOf(stream);
    if (channel !== null && this.lives.of(channel)?.isOver) throw new CutShort();
    return this.inner.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<StoredEvent[]> {
    return this.inner.readAll(options);
  }

  head(): Promise<Position> {
    return this.inner.head();
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    return this.inner.subscribe(options);
  }

  setRetention(stream: string, maxCount: number): Promise<void> {
    return this.inner.setRetention(stream, maxCount);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
