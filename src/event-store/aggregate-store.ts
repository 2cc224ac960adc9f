import { setTimeout as sleep } from 'node:timers/promises';
import { type Decider, streamOf } from '../kernel/decider.js';
import type { DomainEvent, RecordedEvent } from '../kernel/events.js';
import { isRejection, type Rejection } from '../kernel/result.js';
import { type EventCodec, eventId, type Execution } from './codec.js';
import {
  type AppendCondition,
  BEGINNING,
  type EventStore,
  type NewEvent,
  type Position,
  type StoredEvent,
  Unavailable,
  WrongExpectedRevision,
} from './port.js';
import { StreamTurns } from '../runtime/keyed-mutex.js';

/** An aggregate as it stands. */
export interface Loaded<S> {
  readonly state: S;
  /** -1n: there is no such stream. */
  readonly revision: bigint;
  readonly position: Position;
  readonly hash: string;
}

/** What a command came to: the events written, none where nothing changed, and the aggregate as it then stands. */
export interface Decided<S, E extends DomainEvent> {
  readonly events: readonly E[];
  /** Its position is how far one must read to see all of this. */
  readonly after: Loaded<S>;
}

/** Told of every append when it is over: when it began (`performance.now()`, ms), and why it failed, if it did. */
export type AppendTimer = (startedAt: number, error?: unknown) => void;

/** An aggregate that nothing has happened to. */
export const nothingYet = <S>(decider: { readonly initial: S }): Loaded<S> => ({
  state: decider.initial,
  revision: -1n,
  position: BEGINNING,
  hash: '',
});

const MAX_CONFLICTS = 50;
/** How long an append whose outcome is unknown is repeated before the caller hears of it, ms. */
const REPEAT_FOR_MS = 5_000;

/**
 * Runs deciders on streams: load, fold, decide, append at the expected revision; again after a lost race, and then in
 * turns with the others of this process.
 */
export class Streams {
  private readonly turns = new StreamTurns();

  constructor(
    readonly store: EventStore,
    readonly codec: EventCodec,
    private readonly appended: AppendTimer = () => undefined,
  ) {}

  /**
   * Folds an aggregate's stream.
   * @param known what an earlier call left: only what has come since is read. @throws Unavailable
   */
  async load<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    id: string,
    known: Loaded<S> = nothingYet(decider),
  ): Promise<Loaded<S>> {
    return this.folded(
      decider,
      await this.store.readStream(streamOf(decider, id), { from: known.revision + 1n }),
      known,
    );
  }

  /** Folds an aggregate's stream as it stood at a revision. @throws Unavailable */
  async loadAt<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    id: string,
    revision: bigint,
  ): Promise<Loaded<S>> {
    const stored = await this.store.readStream(streamOf(decider, id), { limit: Number(revision) + 1 });
    return this.folded(decider, stored, nothingYet(decider));
  }

  /** A stream's newest event, decoded; null where there is none. @throws Unavailable */
  async last<E extends DomainEvent>(stream: string): Promise<RecordedEvent<E> | null> {
    const [event] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    return event ? this.codec.decode<E>(event) : null;
  }

  /**
   * Runs one command. One that has written its events already, which its id tells, is not run again: what it wrote is
   * answered, so that work that is delivered twice is done once.
   * @param from what is known of the aggregate already, to save the read: {@link nothingYet} where the stream is most
   * likely not there, or what an earlier command left. Where that is out of date the append conflicts, and it is read.
   * @throws Unavailable the store was away for longer than a few seconds; the command may be repeated with its id.
   */
  async run<C, S, E extends DomainEvent, R extends string>(
    decider: Decider<C, S, E, R>,
    id: string,
    command: C,
    execution: Execution,
    from?: Loaded<S>,
  ): Promise<Decided<S, E> | Rejection<R>> {
    const stream = streamOf(decider, id);
    let endTurn: (() => void) | null = null;
    try {
      for (let known = from, conflicts = 0; ; known = undefined, conflicts++) {
        const stored = known ? [] : await this.store.readStream(stream);
        const done = this.doneBefore(decider, stream, stored, execution.commandId);
        if (done) return done;
        const loaded = known ?? this.folded(decider, stored);
        const events = decider.decide(command, loaded.state);
        if (isRejection(events)) {
          if (!known) return events;
        } else if (events.length === 0) {
          if (!known) return { events, after: loaded };
        } else {
          const encoded = this.encode(stream, events, loaded, execution);
          try {
            const { revision, position } = await this.appendSurely(stream, loaded.revision, encoded.events);
            const state = events.reduce((folded, event) => decider.evolve(folded, event), loaded.state);
            return { events, after: { state, revision, position, hash: encoded.hash } };
          } catch (error) {
            if (!(error instanceof WrongExpectedRevision) || conflicts >= MAX_CONFLICTS) throw error;
            endTurn ??= await this.turns.take(stream);
            if (conflicts > 2) await sleep(Math.random() * 5 * conflicts);
          }
        }
      }
    } finally {
      endTurn?.();
    }
  }

  private folded<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    stored: readonly StoredEvent[],
    before: Loaded<S> = nothingYet(decider),
  ): Loaded<S> {
    let { state } = before;
    for (const event of stored) state = decider.evolve(state, this.codec.decode<E>(event) as unknown as E);
    const last = stored.at(-1);
    if (!last) return before;
    return { state, revision: last.revision, position: last.position, hash: this.codec.envelope(last).hash };
  }

  /** What the command has written into the stream already, and the aggregate as it stood then; null: nothing. */
  private doneBefore<S, E extends DomainEvent>(
    decider: Decider<never, S, E, string>,
    stream: string,
    stored: readonly StoredEvent[],
    commandId: string,
  ): Decided<S, E> | null {
    const firstId = eventId(commandId, stream, 0);
    const first = stored.findIndex(({ id }) => id === firstId);
    if (first < 0) return null;
    let end = first + 1;
    while (stored[end]?.id === eventId(commandId, stream, end - first)) end += 1;
    const events = stored.slice(first, end).map((event) => {
      const { type, data } = this.codec.decode<E>(event);
      return { type, data } as unknown as E;
    });
    return { events, after: this.folded(decider, stored.slice(0, end)) };
  }

  /** Encodes events to follow a loaded stream. `hash` is the last one's, which the next is chained to. */
  encode(
    stream: string,
    events: readonly DomainEvent[],
    after: Omit<Loaded<unknown>, 'state'>,
    execution: Execution,
  ): { readonly events: NewEvent[]; readonly hash: string } {
    let { hash } = after;
    const encoded = events.map((event, i) => {
      const place = { stream, revision: after.revision + BigInt(i + 1), previousHash: hash };
      const { event: text, hash: own } = this.codec.encode(event, i, place, execution);
      hash = own;
      return text;
    });
    return { events: encoded, hash };
  }

  /** Appends, and repeats the identical append while its outcome is unknown. @throws ConditionFailed */
  async appendSurely(
    stream: string,
    revision: bigint,
    events: readonly NewEvent[],
    condition: AppendCondition | null = null,
  ) {
    const expected = revision < 0n ? ('noStream' as const) : revision;
    const giveUpAt = performance.now() + REPEAT_FOR_MS;
    for (let wait = 50; ; wait = Math.min(1_000, wait * 2)) {
      const startedAt = performance.now();
      try {
        const result = await this.store.append(stream, expected, events, condition);
        this.appended(startedAt);
        return result;
      } catch (error) {
        this.appended(startedAt, error);
        if (!(error instanceof Unavailable) || performance.now() + wait > giveUpAt) throw error;
        await sleep(wait * (0.5 + Math.random() / 2));
      }
    }
  }
}
