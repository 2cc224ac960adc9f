import { Inject, Injectable } from '@nestjs/common';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { ShownAggregate } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { PostPlaces } from '../../projections/posts/post-details.queries.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { SecretVault } from '../../secrets/vault.js';
import type { Folded } from '../aggregates/history-aggregate.js';
import { type PostHistory, withPayload } from '../aggregates/post.js';
import { maskErasedSecrets } from '../erased-secrets.js';
import { type HistoricEvent, toHistoricEvent } from '../read-log.js';
import { type AuthoredChange, compareAggregate, maskErasedValues, type TimeRange } from './diff.js';
import { type AggregatePlace, HistoryReader, type Until, wholeStream } from './history-reader.js';

/** Members of an aggregate's first event that identify its owner, or a resource of the owner. */
interface Origin {
  readonly ownerId?: string;
  readonly channelId?: string;
  readonly projectId?: string;
}

/** Finds the streams of aggregates. Their owners are read from the streams themselves, not from a read model. */
@Injectable()
export class AggregatePlaces {
  constructor(
    private readonly posts: PostPlaces,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly progress: ProjectionProgress,
  ) {}

  /** Finds an aggregate; null if there is none. @param ownerId required owner; null for any @throws Unavailable */
  async find(aggregate: ShownAggregate, id: string, ownerId: string | null): Promise<AggregatePlace | null> {
    const place = await this.locate(aggregate, id);
    if (!place || ownerId === null) return place;
    return (await this.findOwner(place.stream, place.first)) === ownerId ? place : null;
  }

  private async locate({ name, category }: ShownAggregate, id: string): Promise<AggregatePlace | null> {
    if (name !== 'post') return wholeStream(`${category}-${id}`);
    // The stream of a post is named after its idempotency key.
    const found = (await this.posts.find(id)) ?? (await this.findNewPost(id));
    if (!found) return null;
    const revision = BigInt(found.revision);
    // The changes to a planned post follow its acceptance, between events of other posts with the same key.
    return { stream: found.stream, first: revision, last: found.was_planned ? null : revision, only: id };
  }

  /** Finds a new post that the read model may not have reached yet. */
  private async findNewPost(id: string) {
    await this.progress.waitUntilCaughtUp(['posts'], this.store);
    return this.posts.find(id);
  }

  private async findOwner(stream: string, revision: bigint): Promise<string | null> {
    const [first] = await this.store.readStream(stream, { from: revision, limit: 1 });
    if (!first) return null;
    const { ownerId, channelId, projectId } = this.codec.decode(first).data as Origin;
    if (ownerId !== undefined) return ownerId;
    if (channelId !== undefined) return this.findOwner(`channel-${channelId}`, 0n);
    return projectId === undefined ? null : this.findOwner(`project-${projectId}`, 0n);
  }
}

/** An aggregate at a point in time. */
export type PastAggregate = Omit<Folded, 'state' | 'hash'> & { readonly state: JsonObject };

/** One side of a comparison: a time, and the last revision by then; null before the first event. */
export interface DiffEnd {
  readonly at: Instant;
  readonly revision: bigint | null;
}

/** What changed in an aggregate between two times. */
export interface PastDifference {
  readonly from: DiffEnd;
  readonly to: DiffEnd;
  readonly changes: readonly AuthoredChange[];
}

/** Shows the state of an aggregate at a given time, and what changed between two times. */
@Injectable()
export class TimeTravel {
  constructor(
    private readonly places: AggregatePlaces,
    private readonly reader: HistoryReader,
    private readonly payloads: PostPayloads,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Shows an aggregate as of a time or a revision.
   * @param ownerId required owner of the aggregate; null for any owner
   * @param page events to show, oldest first
   * @returns null if there is no such aggregate or revision, or if it had no event by then
   * @throws Unavailable @throws UndecodableEvent
   */
  async show(
    aggregate: ShownAggregate,
    id: string,
    ownerId: string | null,
    until: Until,
    page: { readonly from: bigint; readonly limit: number },
  ): Promise<{ readonly aggregate: PastAggregate; readonly events: readonly HistoricEvent[] } | null> {
    const place = await this.places.find(aggregate, id, ownerId);
    if (!place) return null;
    const folded = await this.reader.foldUpTo(aggregate, place, until);
    if (folded.state === null || (until.revision !== undefined && until.revision !== folded.revision)) return null;
    const { changes, revision, at } = folded;
    const range = { ...page, to: revision };
    const events = page.from > revision ? [] : await this.reader.readEvents(aggregate, place, range);
    const state = await this.completeState(aggregate, place, folded.state);
    const shown = await maskErasedSecrets(this.vault, { state, changes, data: events.map(({ data }) => data) });
    return {
      aggregate: { state: shown.state, changes: shown.changes, revision, at },
      events: events.map((event, i) => toHistoricEvent(event, shown.data[i])),
    };
  }

  /**
   * Compares an aggregate at two points in time. Returns null if there is no such aggregate, or if it had no event by
   * the later time. @param ownerId see {@link show} @throws Unavailable @throws UndecodableEvent
   */
  async diff(
    aggregate: ShownAggregate,
    id: string,
    ownerId: string | null,
    { from, to }: TimeRange,
  ): Promise<PastDifference | null> {
    const place = await this.places.find(aggregate, id, ownerId);
    if (!place) return null;
    const { first, last, changes } = await compareAggregate(this.reader, aggregate, place, { from, to });
    if (last.state === null) return null;
    const shown = await maskErasedValues(this.vault, changes);
    const ofPost = aggregate.name === 'post' ? await this.completeState(aggregate, place, last.state) : null;
    return {
      from: endOf(from, first),
      to: endOf(to, last),
      changes: shown.map((change) => {
        const whole = ofPost?.[change.path.slice(1)];
        return whole === undefined ? change : { ...change, after: whole };
      }),
    };
  }

  /** Inserts a payload that is stored in parts (D-42). */
  private async completeState(
    { name }: ShownAggregate,
    { stream, first }: AggregatePlace,
    state: JsonObject,
  ): Promise<JsonObject> {
    if (name !== 'post' || state['payload'] !== null) return state;
    const { content_revision = Number(first) } = state as unknown as PostHistory;
    const payload = await this.payloads.readPayload(stream, String(content_revision));
    return withPayload(state as unknown as PostHistory, payload);
  }
}

const endOf = (at: Instant, { revision }: Folded): DiffEnd => ({ at, revision: revision < 0n ? null : revision });
