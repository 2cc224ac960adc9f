import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import {
  chooseClaimStep,
  type KeyClaim,
  type KeyStatus,
  post,
  type PostCommand,
  type PostState,
  type RequestKey,
  resolveKeyStatus,
} from '../../domain/post/post.decider.js';
import { type KeyEvent, type Place, PLANNED_POST_TYPES } from '../../domain/post/post.events.js';
import { findLast } from '../../event-store/aggregate-reader.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { type AppendCondition, BEGINNING, type StoredEvent, WrongExpectedRevision } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import { type Origin, streamOf } from '../../kernel/events.js';
import { isRejection } from '../../kernel/result.js';
import { backoffDelay, conflictDelay } from '../../runtime/backoff.js';
import { newCommandContext } from '../command.js';
import type { AcceptanceLimit } from '../plan-limits.js';

/** The next free revision of a stream, with the data needed to append there. */
interface OpenPlace extends Place {
  /** Hash of the previous event; empty for a stream's first event. */
  readonly previousHash: string;
  /** State after the previous event. */
  readonly previousState: PostState;
}

/** The known state of a request's keys. Stale knowledge is harmless: an append based on it conflicts and is retried. */
export interface KnownKeys {
  readonly endpointId: string;
  /** The header's key comes first (D-19); empty if the post has no key. */
  readonly keys: readonly string[];
  /** Id of each key's stream. */
  readonly keyIds: readonly string[];
  readonly perKey: readonly RequestKey<OpenPlace>[];
  /** True if the streams were not read: the keys are assumed to be new, with empty streams. */
  readonly isAssumedNew: boolean;
  /** True if the request has already waited for a concurrent post with these keys. */
  readonly isAwaited: boolean;
  /** The stored response to a request with these keys; null if it is the first. */
  readonly replay: Replay | null;
}

/** A response that was already sent (D-9). */
export interface Replay extends KeyClaim {
  /** Id of the event that holds the response; null if it was not read. */
  readonly eventId: string | null;
}

/** A command that claims keys for a post. */
export type ClaimingCommand = Extract<PostCommand, { readonly type: 'AcceptPost' | 'SkipPost' }>;

export type KeyClaimResult =
  { readonly outcome: 'accepted'; readonly claim: KeyClaim } | { readonly outcome: 'replay'; readonly replay: Replay };

const FREE: KeyStatus = { kind: 'free' };
/** Delays between lookups of a concurrent request's post. */
const LOOK_UP_INTERVAL = { firstMs: 5, longestMs: 100 };
const MAX_CONFLICTS = 100;
/** Maximum time to wait for a concurrent post, perhaps in another process, to be stored, in ms. */
const IN_FLIGHT_MS = 2_000;

/**
 * Looks up and claims idempotency keys (D-19). A claim takes one or two keys for a post exactly once, despite
 * concurrent requests, several processes, and crashes at any moment. See domain/post/post.decider.ts.
 */
@Injectable()
export class KeyClaims {
  /** @param sleepMs waits for a number of milliseconds; replaced in tests */
  constructor(
    private readonly aggregates: AggregateStore,
    @Optional() private readonly sleepMs: (ms: number) => Promise<unknown> = sleep,
  ) {}

  /** Reads the state of an endpoint's keys from their streams. @throws Unavailable */
  async lookUpKeys(endpointId: string, keys: readonly string[], at: Instant): Promise<KnownKeys> {
    const keyIds = keys.map((key) => keyIdOf(endpointId, key));
    const lookUps = keys.map((key, i) => this.lookUpKey(keyIds[i]!, key, at));
    const perKey = lookUps.length === 1 ? [await lookUps[0]!] : await Promise.all(lookUps);
    const taken = perKey.find(({ status }) => status.kind === 'taken');
    const replay = taken?.status.kind === 'taken' ? { ...taken.status.by, eventId: taken.eventId } : null;
    return { endpointId, keys, keyIds, perKey, isAssumedNew: false, isAwaited: false, replay };
  }

  /**
   * Returns the state of new keys, without reading the streams. If a key turns out not to be new, the append conflicts.
   */
  assumeNewKeys(endpointId: string, keys: readonly string[]): KnownKeys {
    const keyIds = keys.map((key) => keyIdOf(endpointId, key));
    const perKey = keyIds.map((id) => ({ status: FREE, place: this.placeAfter(streamOf(post, id), EMPTY) }));
    return { endpointId, keys, keyIds, perKey, isAssumedNew: true, isAwaited: false, replay: null };
  }

  /**
   * Lists the streams that may contain the acceptance of a post with these keys, or a reservation that points to it.
   */
  listDecidingStreams({ keyIds }: KnownKeys, postId: string): string[] {
    return (keyIds.length > 0 ? keyIds : [postId]).map((id) => streamOf(post, id));
  }

  /** Waits for the post that another request with one of these keys is about to store. @throws Unavailable */
  async waitForConcurrentPost({ endpointId, keys }: KnownKeys, now: () => Instant): Promise<KnownKeys> {
    for (let waited = 0, lookUps = 0; ; lookUps++) {
      const known = await this.lookUpKeys(endpointId, keys, now());
      if (known.replay || waited >= IN_FLIGHT_MS) return { ...known, isAwaited: true };
      const delay = backoffDelay(LOOK_UP_INTERVAL, lookUps);
      await this.sleepMs(delay);
      waited += delay;
    }
  }

  /**
   * Claims the keys for a post: claim, acceptance and stored response are one event. The losing request returns the
   * winner's response.
   * @param known the result of an earlier lookup
   * @param postId names the stream of a post without a key
   * @param condition must hold when the post is accepted; null if it has already been checked
   * @param limit latest time at which the post may be accepted; null for no limit
   * @throws Unavailable the outcome may be unknown; a request with the same key resolves it.
   * @throws ConditionFailed the post is not accepted
   */
  async claimKeys(
    known: KnownKeys,
    postId: string,
    command: ClaimingCommand,
    origin: Origin,
    condition: AppendCondition | null = null,
    limit: AcceptanceLimit | null = null,
  ): Promise<KeyClaimResult> {
    limit?.check();
    if (known.keys.length === 0) {
      const place = { stream: streamOf(post, postId), revision: 0, previousHash: '', previousState: null };
      return { outcome: 'accepted', claim: (await this.appendAt(place, command, origin, condition)) as KeyClaim };
    }
    let latest = known;
    for (let conflicts = 0; ;) {
      const step = chooseClaimStep(latest.perKey);
      try {
        switch (step.kind) {
          case 'replay':
            return { outcome: 'replay', replay: latest.replay! };
          case 'accept': {
            const answered = await this.appendAt(step.at, command, origin, condition);
            if (answered) return { outcome: 'accepted', claim: answered as KeyClaim };
            // The clocks disagree about whether the 24 hours are over; the stored claim is authoritative.
            return { outcome: 'replay', replay: { ...(step.at.previousState as KeyClaim), eventId: null } };
          }
          case 'reserve': {
            const { stream, revision } = step.to;
            const data = { endpointId: latest.endpointId, place: { stream, revision }, at: command.data.acceptedAt };
            await this.appendAt(step.at, { type: 'ReservePostKey', data }, origin, condition);
            break;
          }
          case 'reread':
            break;
        }
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || conflicts >= MAX_CONFLICTS) throw error;
        conflicts += 1;
        if (conflicts > 3) await this.sleepMs(conflictDelay(conflicts));
      }
      latest = await this.lookUpKeys(latest.endpointId, latest.keys, command.data.acceptedAt);
      limit?.check();
    }
  }

  /**
   * Appends at one place, without retrying after a conflict. Returns null if the decider finds that a key is taken.
   * @throws WrongExpectedRevision, ConditionFailed, Unavailable
   */
  private async appendAt(
    place: OpenPlace,
    command: PostCommand,
    origin: Origin,
    condition: AppendCondition | null,
  ): Promise<PostState> {
    const { stream, revision, previousHash, previousState } = place;
    const events = post.decide(command, previousState);
    if (isRejection(events)) return null;
    const at = command.type === 'ReservePostKey' ? command.data.at : command.data.acceptedAt;
    const context = newCommandContext(origin, `${command.type}@${revision}`, at);
    const last = { revision: BigInt(revision) - 1n, position: BEGINNING, hash: previousHash };
    const encoded = await this.aggregates.encodeEvents(stream, events, last, context);
    await this.aggregates.appendWithRetry(stream, last.revision, encoded.events, condition);
    return events.reduce((state, event) => post.evolve(state, event), previousState);
  }

  /** Follows a reservation in the key's own stream to the place that decides the key's status. */
  private async lookUpKey(
    id: string,
    key: string,
    at: Instant,
  ): Promise<RequestKey<OpenPlace> & { readonly eventId: string }> {
    const stream = streamOf(post, id);
    const own = await this.readEnd(stream);
    const state = this.foldEvent(own.deciding);
    if (state === null || !('place' in state))
      return toRequestKey(resolveKeyStatus(key, state, 'unwritten', at), this.placeAfter(stream, own), own.deciding);
    const [there, decided] = await this.readPlace(state.place);
    const status = resolveKeyStatus(key, state, decided ? this.foldEvent(decided) : 'unwritten', at);
    const place =
      status.kind === 'reserved' ? this.placeAfter(state.place.stream, there) : this.placeAfter(stream, own);
    return toRequestKey(status, place, decided);
  }

  /** Reads the end of a place's stream, and the event at that place, if any. */
  private async readPlace({ stream, revision }: Place): Promise<[StreamEnd, StoredEvent | undefined]> {
    const end = await this.readEnd(stream);
    const { last } = end;
    if (!last || last.revision < BigInt(revision)) return [end, undefined];
    if (last.revision === BigInt(revision)) return [end, last];
    const [event] = await this.aggregates.store.readStream(stream, { from: BigInt(revision), limit: 1 });
    return [end, event];
  }

  /**
   * Reads a stream's last event, and the last event that decides the key's status. They differ if a planned post was
   * changed later (ADR-231).
   */
  private async readEnd(stream: string): Promise<StreamEnd> {
    const { store } = this.aggregates;
    const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    if (!last || decidesAboutKey(last)) return { last, deciding: last };
    const deciding = await findLast(store, stream, decidesAboutKey, last.revision - 1n);
    return { last, deciding: deciding ?? undefined };
  }

  private foldEvent(event: StoredEvent | undefined): PostState {
    if (!event || !decidesAboutKey(event)) return null;
    return post.evolve(null, this.aggregates.codec.decode<KeyEvent>(event) as unknown as KeyEvent);
  }

  /** Returns the place after a stream's last event. */
  private placeAfter(stream: string, { last, deciding }: StreamEnd): OpenPlace {
    if (!last) return { stream, revision: 0, previousHash: '', previousState: null };
    const previousHash = this.aggregates.codec.readEnvelope(last).hash;
    return { stream, revision: Number(last.revision) + 1, previousHash, previousState: this.foldEvent(deciding) };
  }
}

interface StreamEnd {
  /** Undefined if the stream is empty. */
  readonly last: StoredEvent | undefined;
  /** The last event that decides the key's status. */
  readonly deciding: StoredEvent | undefined;
}

const EMPTY: StreamEnd = { last: undefined, deciding: undefined };

const CHANGES_OF_POSTS: ReadonlySet<string> = new Set(PLANNED_POST_TYPES);

const decidesAboutKey = ({ type }: StoredEvent): boolean => !CHANGES_OF_POSTS.has(type);

const toRequestKey = (status: KeyStatus, place: OpenPlace, decided: StoredEvent | undefined) => ({
  status,
  place: status.kind === 'taken' ? null : place,
  eventId: decided?.id ?? '',
});

/** Returns the id of a key's stream: a hash (hex), because keys may contain characters that stream names may not. */
export const keyIdOf = (endpointId: string, key: string): string =>
  hash('sha256', `${endpointId}\n${key}`).slice(0, 40);
