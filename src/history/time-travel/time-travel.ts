import { Injectable } from '@nestjs/common';
import type { Instant } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/json.js';
import { PostPayloads } from '../../projections/posts/post-payloads.js';
import { SecretVault } from '../../secrets/vault.js';
import type { Folded, HistoryAggregate } from '../aggregates/history-aggregate.js';
import { type PostHistory, withPayload } from '../aggregates/post.js';
import { maskErasedSecrets } from '../erased-secrets.js';
import { type HistoricEvent, toHistoricEvent } from '../read-log.js';
import { AggregatePlaces } from './aggregate-places.js';
import { type AuthoredChange, compareAggregate, maskErasedValues, type TimeRange } from './diff.js';
import { type AggregatePlace, HistoryReader } from './history-reader.js';
import type { Until } from './history-snapshots.js';

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
    aggregate: HistoryAggregate,
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
      events: events.map((event, i) => toHistoricEvent({ ...event, data: shown.data[i] })),
    };
  }

  /**
   * Compares an aggregate at two points in time. Returns null if there is no such aggregate, or if it had no event by
   * the later time. @param ownerId see {@link show} @throws Unavailable @throws UndecodableEvent
   */
  async diff(
    aggregate: HistoryAggregate,
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
    { name }: HistoryAggregate,
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
