import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  beginPost,
  decidePlannedPost,
  evolvePost,
  type PlannedPost,
  type PlannedPostCommand,
  type PlannedPostRejection,
  resumePost,
} from '../../domain/post/planned-post.js';
import { PLANNED_POST_TYPES, type PlannedPostEvent, type PostAccepted } from '../../domain/post/post.events.js';
import { readBackwards } from '../../event-store/aggregate-reader.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { type CommandContext, deriveEventId } from '../../event-store/codec.js';
import { type NewEvent, type Position, type StoredEvent, WrongExpectedRevision } from '../../event-store/port.js';
import { isBeyondLimit, rejectMissingScope } from '../../event-store/rights.js';
import type { KeyRights, RecordedEventOf } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import { conflictDelay } from '../../runtime/backoff.js';
import { KeyedSemaphore } from '../../runtime/semaphore.js';
import type { AcceptanceLimit } from '../plan-limits.js';

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
  /** Events that an earlier attempt at the command has written, if {@link EarlierAttempt} was given. */
  readonly earlier: readonly PlannedPostEvent[];
}

/** Where events of an earlier attempt at a command may be. */
interface EarlierAttempt {
  readonly commandId: string;
  /** First stream revision that it may have written; null for the latest events only. */
  readonly from: bigint | null;
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
/** Number of posts that a command on many posts changes at a time: a post's content may have a megabyte. */
export const POSTS_AT_ONCE = 10;

/**
 * Changes and releases planned posts. A post's events are in the stream of its key, mixed with the events of other
 * posts that used the key. All these posts compete for the stream's next revision (ADR-231).
 */
@Injectable()
export class PlannedPosts {
  private readonly conflictLocks = new KeyedSemaphore(1);

  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * Reads a post; null if the place does not hold its acceptance. Reads backwards, up to the latest event that holds the
   * whole state: a post may have many revisions, and its stream the content of each (ADR-243).
   * @throws Unavailable @throws UndecodableEvent
   */
  async load(place: PostPlace, attempt: EarlierAttempt | null = null): Promise<LoadedPost | null> {
    const { postId, stream } = place;
    const { store, codec } = this.aggregates;
    const ownIds = attempt ? [0, 1].map((i) => deriveEventId(attempt.commandId, stream, i)) : [];
    const earlier: PlannedPostEvent[] = [];
    const later: RecordedEventOf<PlannedPostEvent>[] = [];
    let last: StoredEvent | null = null;
    for await (const stored of readBackwards(store, stream)) {
      last ??= stored;
      const isFirst = stored.revision === BigInt(place.revision);
      if (stored.revision < BigInt(place.revision) || (isFirst && stored.type !== 'PostAccepted')) return null;
      const event = isFirst ? codec.decode<PostAccepted>(stored) : this.decodeOf(postId, stored);
      if (!event) continue;
      if (ownIds.includes(stored.id)) earlier.unshift({ type: event.type, data: event.data } as PlannedPostEvent);
      const begun = beginAt(event, stored.revision < (attempt?.from ?? stored.revision + 1n));
      if (!begun) {
        addLater(later, event as RecordedEventOf<PlannedPostEvent>);
        continue;
      }
      const { hash } = codec.readEnvelope(last);
      const end = { stream, revision: last.revision, position: last.position, hash };
      const state = later.reduceRight((folded, each) => evolvePost(folded, each, Number(each.revision)), begun);
      return { state, correlationId: event.correlationId, ...end, earlier };
    }
    return null;
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
    let from: bigint | null = null;
    try {
      for (let conflicts = 0; ; conflicts++) {
        const loaded = await this.load(place, { commandId: context.commandId, from });
        if (!loaded) return null;
        const { state, position, earlier } = loaded;
        from ??= loaded.revision + 1n;
        if (earlier.length > 0) return { state, position, events: earlier };
        const change = await this.encode(loaded, command, context);
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

  /** Decides a command, and encodes its events for the end of the stream. @throws Unavailable */
  async encode(
    loaded: LoadedPost,
    command: PlannedPostCommand,
    context: CommandContext,
  ): Promise<EncodedChange | Rejection<PlannedPostRejection>> {
    const { state, stream, correlationId } = loaded;
    const refused = context.rights && refuseRights(context.rights, command, state);
    if (refused) return refused;
    const events = decidePlannedPost(command, state, Number(loaded.revision) + 1);
    if (isRejection(events)) return events;
    const by = { ...context, correlationId };
    const { events: encoded } = await this.aggregates.encodeEvents(stream, events, loaded, by);
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

/** Rejects a command on a post that a key may not change, as if there were no such post, or for lack of a scope (D-93). */
const refuseRights = (
  rights: KeyRights,
  { type }: PlannedPostCommand,
  { ownerId, endpointId }: PlannedPost,
): Rejection<PlannedPostRejection> | null => {
  const missing = rejectMissingScope(rights, type === 'ApprovePost' || type === 'RejectPost' ? 'approve' : 'post');
  if (missing) return missing;
  const isForeign = rights.ownerId !== ownerId || isBeyondLimit(rights, endpointId);
  return isForeign ? reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'post' })) : null;
};

/** Returns the state of a post after the event, if the event holds all of it. @param mayResume false to read further */
const beginAt = (event: RecordedEventOf<PostAccepted | PlannedPostEvent>, mayResume: boolean): PlannedPost | null => {
  if (event.type === 'PostAccepted') return beginPost(event.data, Number(event.revision));
  return event.type === 'PostRevised' && mayResume ? resumePost(event.data, Number(event.revision)) : null;
};

/**
 * Adds an event to later ones, without content that later content has replaced: what older programs wrote to the stream
 * may not fit into memory.
 */
const addLater = (later: RecordedEventOf<PlannedPostEvent>[], event: RecordedEventOf<PlannedPostEvent>): void => {
  const isReplaced = later.some(({ type }) => type === 'PostRevised');
  if (event.type === 'PostRevised') {
    const targets = isReplaced ? [] : event.data.targets;
    later.push({ ...event, data: { ...event.data, payload: null, targets } });
  } else if (!isReplaced || event.type !== 'PlannedPublicationsCancelled') later.push(event);
};

/** Read models that reflect changes to posts. A request that changes a post waits for them before it responds. */
export const READ_MODELS_OF_POSTS: readonly string[] = ['posts', 'planned-posts', 'publish-schedule'];
