import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginPost,
  decidePlannedPost,
  evolvePost,
  type PlannedPost,
  type PlannedPostCommand,
  type PlannedPostRejection,
} from '../../domain/post/planned-post.js';
import { PLANNED_POST_TYPES, type PlannedPostEvent, type PostAccepted } from '../../domain/post/post.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import { type CommandContext, deriveEventId } from '../../event-store/codec.js';
import { type NewEvent, type Position, type StoredEvent, WrongExpectedRevision } from '../../event-store/port.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { conflictDelay } from '../../runtime/backoff.js';
import { KeyedSemaphore } from '../../runtime/keyed-semaphore.js';
import type { AcceptanceLimit } from './acceptance-limit.js';

/** The place of a post: its key's stream, and the revision of its acceptance there. */
export interface PostPlace {
  readonly postId: string;
  readonly stream: string;
  readonly revision: string;
}

/** A post's current state, and the end of its stream. */
export interface LoadedPost {
  readonly state: PlannedPost;
  /** Correlation id of its acceptance, which all events about the post share (ADR-140). */
  readonly correlationId: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly hash: string;
  /** Position of the stream's last event. */
  readonly position: Position;
  /** Events of the post after the acceptance. */
  readonly changes: readonly RecordedEventOf<PlannedPostEvent>[];
}

/** The result of a command that was executed, now or in an earlier attempt. */
export interface ChangedPost {
  readonly state: PlannedPost;
  readonly position: Position;
  /** The events that were written; empty if nothing had to be done. */
  readonly events: readonly PlannedPostEvent[];
}

/** A command's events, encoded for the end of the stream that was read. */
export interface EncodedChange {
  readonly loaded: LoadedPost;
  readonly events: readonly PlannedPostEvent[];
  readonly encoded: readonly NewEvent[];
}

const CHANGES: ReadonlySet<string> = new Set(PLANNED_POST_TYPES);
const MAX_CONFLICTS = 100;

/**
 * Changes and releases planned posts. A post's events are in the stream of its key, mixed with the events of other
 * posts that used the key. All these posts compete for the stream's next revision (ADR-231).
 */
export class PlannedPosts {
  private readonly conflictLocks = new KeyedSemaphore(1);

  constructor(private readonly aggregates: AggregateStore) {}

  /** Reads a post; null if the place does not hold its acceptance. @throws Unavailable @throws UndecodableEvent */
  async load({ postId, stream, revision }: PostPlace): Promise<LoadedPost | null> {
    const { store, codec } = this.aggregates;
    const [first, ...later] = await store.readStream(stream, { from: BigInt(revision) });
    if (first?.type !== 'PostAccepted') return null;
    const accepted = codec.decode<PostAccepted>(first);
    let state = beginPost(accepted.data, Number(first.revision));
    const changes: RecordedEventOf<PlannedPostEvent>[] = [];
    for (const stored of later) {
      const event = this.decodeOf(postId, stored);
      if (!event) continue;
      state = evolvePost(state, event, Number(event.revision));
      changes.push(event);
    }
    const last = later.at(-1) ?? first;
    const { hash } = codec.readEnvelope(last);
    const end = { stream, revision: last.revision, position: last.position, hash };
    return { state, correlationId: accepted.correlationId, ...end, changes };
  }

  /**
   * Executes a command, and retries it after a conflict. Skips a command whose events an earlier attempt has written.
   * @param limit latest time at which the events may be appended; null for no limit
   * @returns null if there is no such post
   * @throws Unavailable
   */
  async execute(
    place: PostPlace,
    command: PlannedPostCommand,
    context: CommandContext,
    limit: AcceptanceLimit | null = null,
  ): Promise<ChangedPost | Rejection<PlannedPostRejection> | null> {
    let releaseLock: (() => void) | null = null;
    try {
      for (let conflicts = 0; ; conflicts++) {
        const loaded = await this.load(place);
        if (!loaded) return null;
        const { state, position } = loaded;
        const earlier = findEarlierEvents(loaded, context.commandId);
        if (earlier.length > 0) return { state, position, events: earlier };
        const change = this.encode(loaded, command, context);
        if (isRejection(change)) return change;
        if (change.events.length === 0) return { state, position, events: [] };
        limit?.check();
        try {
          return await this.append(change);
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision) || conflicts >= MAX_CONFLICTS) throw error;
          // From here on, this process makes its conflicting changes one at a time.
          releaseLock ??= await this.conflictLocks.acquire(place.stream);
          if (conflicts > 2) await sleep(conflictDelay(conflicts));
        }
      }
    } finally {
      releaseLock?.();
    }
  }

  /** Decides a command, and encodes its events for the end of the stream. */
  encode(
    loaded: LoadedPost,
    command: PlannedPostCommand,
    context: CommandContext,
  ): EncodedChange | Rejection<PlannedPostRejection> {
    const { state, stream, correlationId } = loaded;
    const events = decidePlannedPost(command, state, Number(loaded.revision) + 1);
    if (isRejection(events)) return events;
    const { events: encoded } = this.aggregates.encodeEvents(stream, events, loaded, { ...context, correlationId });
    return { loaded, events, encoded };
  }

  /** True if {@link appendTogether} can be used. */
  get canAppendTogether(): boolean {
    return this.aggregates.store.appendTogether !== null;
  }

  /**
   * Appends changes of posts in different streams at the revisions that were read, all or none, in order.
   * @throws WrongExpectedRevision @throws Unavailable
   */
  async appendTogether(changes: readonly EncodedChange[]): Promise<void> {
    await this.aggregates.appendTogetherWithRetry(
      changes.map(({ loaded: { stream, revision }, encoded }) => ({ stream, expected: revision, events: encoded })),
    );
  }

  /** Appends at the revision that was read. @throws WrongExpectedRevision @throws Unavailable */
  async append({ loaded, events, encoded }: EncodedChange): Promise<ChangedPost> {
    const { stream, revision } = loaded;
    const appended = await this.aggregates.appendWithRetry(stream, revision, encoded);
    let { state } = loaded;
    for (const [i, event] of events.entries()) state = evolvePost(state, event, Number(revision) + 1 + i);
    return { state, position: appended.position, events };
  }

  /** Decodes an event that followed a post's acceptance; null if it concerns another post, or none. */
  private decodeOf(postId: string, stored: StoredEvent): RecordedEventOf<PlannedPostEvent> | null {
    if (!CHANGES.has(stored.type)) return null;
    const event = this.aggregates.codec.decode<PlannedPostEvent>(stored);
    return event.data.postId === postId ? (event as RecordedEventOf<PlannedPostEvent>) : null;
  }
}

/** Returns the events that an earlier attempt at a command has written. */
const findEarlierEvents = ({ stream, changes }: LoadedPost, commandId: string): readonly PlannedPostEvent[] => {
  const first = changes.findIndex(({ id }) => id === deriveEventId(commandId, stream, 0));
  if (first < 0) return [];
  const written = changes.slice(first).filter(({ id }, i) => id === deriveEventId(commandId, stream, i));
  return written.map(({ type, data }) => ({ type, data }) as PlannedPostEvent);
};
