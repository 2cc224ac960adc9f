import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, post, type PostCommand, type PostState } from '../../domain/post/post.decider.js';
import type { Place, PostEvent } from '../../domain/post/post.events.js';
import { type KeyInHand, nextStep, type Standing, standingOf } from '../../domain/post/standing.js';
import { type AppendCondition, BEGINNING, type StoredEvent, WrongExpectedRevision } from '../../event-store/port.js';
import type { Streams } from '../../event-store/aggregate-store.js';
import { streamOf } from '../../kernel/decider.js';
import type { Origin } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import { isRejection } from '../../kernel/result.js';
import { execution } from '../origin.js';

/** A place that was not written yet when it was looked at, with what is needed to write there. */
interface OpenPlace extends Place {
  /** Hash of the event before it, empty for a stream's first. */
  readonly previousHash: string;
  /** What the event before it says. */
  readonly before: PostState;
}

/** What is known of a request's keys. Out of date it does no harm: writing by it fails, and is done again. */
export interface KeysSeen {
  readonly endpointId: string;
  /** The header's first (D-19); none: the post has no key. */
  readonly keys: readonly string[];
  /** What names each key's stream. */
  readonly keyIds: readonly string[];
  readonly inHand: readonly KeyInHand<OpenPlace>[];
  /** Nobody has looked: the keys are taken to be new, and their places to be the first of their streams. */
  readonly isPresumed: boolean;
  /** The answer that a request with these keys gets again; null where it is the first. */
  readonly replay: Replay | null;
}

/** An answer that was given before (D-9). */
export interface Replay extends Answered {
  /** The event that keeps the answer, where it is at hand. */
  readonly eventId: string | null;
}

type Claiming = Extract<PostCommand, { readonly type: 'AcceptPost' | 'PassPostOver' }>;

/** What a claim came to. */
export type Claimed =
  | { readonly outcome: 'accepted'; readonly answered: Answered }
  | { readonly outcome: 'replay'; readonly replay: Replay };

const FREE: Standing = { kind: 'free' };
const MAX_CONFLICTS = 100;
/** How long a post that was let through a moment ago, maybe by another process, may take to be stored. */
const IN_FLIGHT_MS = 2_000;

/**
 * Idempotency keys (D-19): which are taken, and the claim that takes one or two of them for a post, exactly, under
 * concurrency, across processes, and over crashes at any moment. See domain/post/standing.ts.
 */
export class KeyClaims {
  /** @param pause waits so many milliseconds; tests pass another */
  constructor(
    private readonly streams: Streams,
    private readonly pause: (ms: number) => Promise<unknown> = sleep,
  ) {}

  /** Looks where keys of an endpoint stand. @throws Unavailable */
  async look(endpointId: string, keys: readonly string[], at: Instant): Promise<KeysSeen> {
    const keyIds = keys.map((key) => keyId(endpointId, key));
    const looks = keys.map((key, i) => this.lookAt(keyIds[i]!, key, at));
    const seen = looks.length === 1 ? [await looks[0]!] : await Promise.all(looks);
    const taken = seen.find(({ standing }) => standing.kind === 'taken');
    const replay = taken?.standing.kind === 'taken' ? { ...taken.standing.by, eventId: taken.eventId } : null;
    return { endpointId, keys, keyIds, inHand: seen, isPresumed: false, replay };
  }

  /** What a look at keys that are new would find: for those who have that confirmed, or find out by writing. */
  presume(endpointId: string, keys: readonly string[]): KeysSeen {
    const keyIds = keys.map((key) => keyId(endpointId, key));
    const inHand = keyIds.map((id) => ({ standing: FREE, place: this.after(streamOf(post, id), undefined) }));
    return { endpointId, keys, keyIds, inHand, isPresumed: true, replay: null };
  }

  /** Waits for the post that another request with one of these keys is about to store. @throws Unavailable */
  async lookOut({ endpointId, keys }: KeysSeen, now: () => Instant): Promise<KeysSeen> {
    for (let waited = 0, wait = 5; ; waited += wait, wait = Math.min(100, wait * 2)) {
      const seen = await this.look(endpointId, keys, now());
      if (seen.replay || waited >= IN_FLIGHT_MS) return seen;
      await this.pause(wait);
    }
  }

  /**
   * Claims the keys for a post: claim, acceptance and stored answer are one event. Whoever loses the race answers what
   * the winner did. @param postId names the stream of a post without a key
   * @param condition what the post's acceptance depends on, where that is not confirmed yet
   * @throws Unavailable the outcome may be unknown; a request with the same key finds out.
   * @throws ConditionFailed the post is not accepted
   */
  async claim(
    looked: KeysSeen,
    postId: string,
    command: Claiming,
    origin: Origin,
    condition: AppendCondition | null = null,
  ): Promise<Claimed> {
    if (looked.keys.length === 0) {
      const place = { stream: streamOf(post, postId), revision: 0, previousHash: '', before: null };
      return { outcome: 'accepted', answered: (await this.write(place, command, origin, condition)) as Answered };
    }
    let seen = looked;
    for (let conflicts = 0; ;) {
      const step = nextStep(seen.inHand);
      try {
        switch (step.kind) {
          case 'replay':
            return { outcome: 'replay', replay: seen.replay! };
          case 'accept': {
            const answered = await this.write(step.at, command, origin, condition);
            if (answered) return { outcome: 'accepted', answered: answered as Answered };
            // Where clocks disagree about the 24 hours, the place itself says whose it is.
            return { outcome: 'replay', replay: { ...(step.at.before as Answered), eventId: null } };
          }
          case 'reserve': {
            const { stream, revision } = step.to;
            const data = { endpointId: seen.endpointId, place: { stream, revision }, at: command.data.acceptedAt };
            await this.write(step.at, { type: 'ReservePostKey', data }, origin, condition);
            break;
          }
          case 'look_again':
            break;
        }
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || conflicts >= MAX_CONFLICTS) throw error;
        conflicts += 1;
        if (conflicts > 3) await this.pause(Math.random() * 5 * conflicts);
      }
      seen = await this.look(seen.endpointId, seen.keys, command.data.acceptedAt);
    }
  }

  /**
   * Writes a place, and no other. Null where the decider says that a key is taken.
   * @throws WrongExpectedRevision, ConditionFailed, Unavailable
   */
  private write(
    place: OpenPlace,
    command: PostCommand,
    origin: Origin,
    condition: AppendCondition | null,
  ): Promise<PostState> {
    const { stream, revision, previousHash, before } = place;
    const events = post.decide(command, before);
    if (isRejection(events)) return Promise.resolve(null);
    const at = command.type === 'ReservePostKey' ? command.data.at : command.data.acceptedAt;
    const run = execution(origin, `${command.type}@${revision}`, at);
    const last = { revision: BigInt(revision) - 1n, position: BEGINNING, hash: previousHash };
    const encoded = this.streams.encode(stream, events, last, run).events;
    const written = this.streams.appendSurely(stream, last.revision, encoded, condition);
    return written.then(() => events.reduce((state, event) => post.evolve(state, event), before));
  }

  private async lookAt(
    id: string,
    key: string,
    at: Instant,
  ): Promise<KeyInHand<OpenPlace> & { readonly eventId: string }> {
    const stream = streamOf(post, id);
    const [own] = await this.last(stream);
    const state = this.stateAfter(own);
    if (state === null || !('place' in state))
      return inHand(standingOf(key, state, 'unwritten', at), this.after(stream, own), own);
    const [there, decided] = await this.eventAt(state.place);
    const standing = standingOf(key, state, decided ? this.stateAfter(decided) : 'unwritten', at);
    const place = standing.kind === 'tied' ? this.after(state.place.stream, there) : this.after(stream, own);
    return inHand(standing, place, decided);
  }

  /** The last event of a place's stream, and the one at the place, where there is one. */
  private async eventAt({ stream, revision }: Place): Promise<[StoredEvent | undefined, StoredEvent | undefined]> {
    const [last] = await this.last(stream);
    if (!last || last.revision < BigInt(revision)) return [last, undefined];
    if (last.revision === BigInt(revision)) return [last, last];
    const [event] = await this.streams.store.readStream(stream, { from: BigInt(revision), limit: 1 });
    return [last, event];
  }

  private last(stream: string): Promise<StoredEvent[]> {
    return this.streams.store.readStream(stream, { direction: 'backwards', limit: 1 });
  }

  private stateAfter(event: StoredEvent | undefined): PostState {
    return event ? post.evolve(null, this.streams.codec.decode<PostEvent>(event) as unknown as PostEvent) : null;
  }

  /** The place after a stream's last event. */
  private after(stream: string, last: StoredEvent | undefined): OpenPlace {
    if (!last) return { stream, revision: 0, previousHash: '', before: null };
    const previousHash = this.streams.codec.envelope(last).hash;
    return { stream, revision: Number(last.revision) + 1, previousHash, before: this.stateAfter(last) };
  }
}

const inHand = (standing: Standing, place: OpenPlace, decided: StoredEvent | undefined) => ({
  standing,
  place: standing.kind === 'taken' ? null : place,
  eventId: decided?.id ?? '',
});

/** Names a key's stream: hashed, because a key may hold anything and a stream's name may not. Hex. */
export const keyId = (endpointId: string, key: string): string => hash('sha256', `${endpointId}\n${key}`).slice(0, 40);
