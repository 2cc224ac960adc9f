import type {
  AppendFailure,
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

/** Point at which a worker is killed on one channel: the n-th, before or after its effect. */
export interface KillPoint {
  /** Index from 0. */
  readonly point: number;
  readonly when: 'before' | 'after';
}

/** Error of every operation after a worker was killed on a channel. */
export class WorkerKilled extends Error {
  constructor() {
    super('this worker was killed');
    this.name = 'WorkerKilled';
  }
}

/** One worker's run on one channel: the points it has passed. A point is an append or a call to the network. */
export interface WorkerRun {
  readonly trace: string[];
  readonly kill: KillPoint | null;
  isDead: boolean;
}

/** Mark in a channel's credentials that identifies its calls. */
const MARK = /ch(\d+)x/;
export const credentialMark = (channel: number): string => `ch${channel}x`;

/**
 * Kills workers at named points: from then on, none of its calls on that channel reaches the event store or the
 * network, as if its process were dead. Points are passed one after the other, because one worker publishes on a
 * channel step by step.
 */
export class WorkerKiller {
  private runs = new Map<number, WorkerRun>();
  private readonly channels = new Map<string, number>();
  private readonly publications = new Map<string, number>();
  private readonly uploads = new Map<string, number>();

  /** Registers a channel. @param channel the number in its credentials */
  registerChannel(channelId: string, channel: number): void {
    this.channels.set(channelId, channel);
  }

  /** Starts new runs and forgets all others. */
  reset(kills: ReadonlyMap<number, KillPoint | null>): void {
    this.runs = new Map([...kills].map(([channel, kill]) => [channel, { trace: [], kill, isDead: false }]));
  }

  /** Returns the run on a registered channel that {@link reset} has started. */
  findRun(channel: number): WorkerRun {
    return this.runs.get(channel)!;
  }

  /** Wraps the event store of a worker that is to be killed. */
  readonly wrapStore = (inner: EventStore): EventStore => new KillableStore(inner, this);

  /** Observes and interrupts the calls between such a worker and a network. */
  readonly bystander: Bystander = {
    asked: (call) => {
      const channel = this.findChannelOfCall(call);
      return channel === null || this.enterPoint(channel, `call ${callName(call)}`) !== null;
    },
    answered: (call, { body }) => {
      const channel = this.findChannelOfCall(call);
      if (channel === null) return true;
      for (const [, path] of body.toString().matchAll(/"(?:upload_)?url":"https?:[^"]*?(\/upload\/[^"]+)"/g)) {
        this.uploads.set(path!.replaceAll('\\/', '/'), channel);
      }
      return this.leavePoint(channel);
    },
  };

  /** Returns the channel of an append or a read; null if it concerns no single channel. */
  findChannel(stream: string, events: readonly NewEvent[] = []): number | null {
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

  /** Enters a point. @returns null if the worker is dead, or is killed here */
  enterPoint(channel: number, name: string): true | null {
    const run = this.runs.get(channel);
    if (!run) return true;
    if (run.isDead) return null;
    const point = run.trace.push(name) - 1;
    if (run.kill?.point === point && run.kill.when === 'before') run.isDead = true;
    return run.isDead ? null : true;
  }

  /** Leaves the last point after its effect. @returns false if the worker is dead */
  leavePoint(channel: number): boolean {
    const run = this.runs.get(channel);
    if (!run) return true;
    if (run.kill?.when === 'after' && run.kill.point === run.trace.length - 1) run.isDead = true;
    return !run.isDead;
  }

  private findChannelOfCall({ path, headers, body }: RelayedCall): number | null {
    const mark = MARK.exec(`${path} ${headers.authorization ?? ''} ${body.toString('latin1', 0, 16_384)}`)?.[1];
    return mark === undefined ? (this.uploads.get(path) ?? null) : Number(mark);
  }
}

const callName = ({ path, body }: RelayedCall): string => {
  if (path.startsWith('/upload/')) return 'upload';
  if (path.startsWith('/fb.do')) return /(?:^|&)method=([\w.]+)/.exec(body.toString())?.[1] ?? path;
  return /\/([\w.]+)(?:\?.*)?$/.exec(path)?.[1] ?? path;
};

/** The event store of a worker that may be killed. */
class KillableStore implements EventStore {
  constructor(
    private readonly inner: EventStore,
    private readonly killer: WorkerKiller,
  ) {}

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const channel = this.killer.findChannel(stream, events);
    if (channel === null) return this.inner.append(stream, expected, events);
    if (!this.killer.enterPoint(channel, events.map(({ type }) => type).join('+'))) throw new WorkerKilled();
    const result = await this.inner.append(stream, expected, events);
    if (!this.killer.leavePoint(channel)) throw new WorkerKilled();
    return result;
  }

  get appendTogether(): EventStore['appendTogether'] {
    const { inner } = this;
    return inner.appendTogether && ((appends) => inner.appendTogether!(appends));
  }

  async readStream(stream: string, options?: ReadStreamOptions): Promise<StoredEvent[]> {
    const channel = this.killer.findChannel(stream);
    if (channel !== null && this.killer.findRun(channel)?.isDead) throw new WorkerKilled();
    return this.inner.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<StoredEvent[]> {
    return this.inner.readAll(options);
  }

  readHead(): Promise<Position> {
    return this.inner.readHead();
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    return this.inner.subscribe(options);
  }

  setRetention(stream: string, maxCount: number): Promise<void> {
    return this.inner.setRetention(stream, maxCount);
  }

  deleteStream(stream: string): Promise<void> {
    return this.inner.deleteStream(stream);
  }

  get appendFailure(): AppendFailure | null {
    return this.inner.appendFailure;
  }

  checkAppends(): void {
    this.inner.checkAppends();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
