import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Attention } from '../../domain/channel/channel.events.js';
import type { PublicationError, PublicationEvent } from '../../domain/publication/publication.events.js';
import { MAX_ATTEMPTS } from '../../domain/publication/retry-limits.js';
import type { RecoveryStarted } from '../../domain/recovery/recovery.events.js';
import { findLast } from '../../event-store/aggregate-reader.js';
import { EventCodec, isDamaged } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { type Instant, MINUTE_MS } from '../../kernel/clock.js';
import { SHARE_OF, TURN_OF } from '../../postgres/call-turns.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from '../discovery/discovery.tables.js';
import { ProjectionProgress } from '../engine/progress.js';
import { PLANNED_POSTS } from '../planned-posts/planned-posts.tables.js';
import { findHold, type Hold, type HoldRule, type PacedPublication } from './hold.js';
import { SCHEDULE, type ScheduledChannel, type ScheduledPublication, selectQueue } from './publish-schedule.tables.js';

/** The latest attempt of an unfinished publication, which explains why it is waiting (D-36). */
export interface LastAttempt {
  /** Starts at 1. Counts only attempts that D-20 limits, not attempts that the network asked to repeat later. */
  readonly number: number;
  /** Maximum number of attempts (D-20). */
  readonly of: number;
  readonly isUnderWay: boolean;
  /**
   * The error of the latest finished attempt, with the response of the network or media host; null if there is none.
   */
  readonly error: PublicationError | null;
}

/** Maximum number of events to read: more than D-20 allows, even with day-long waits. */
const MAX_EVENTS = 2_000;

/** Reads a publication's latest attempt; null if there is none, or events are damaged (ADR-111). @throws Unavailable */
export const readLastAttempt = async (
  store: EventStore,
  codec: EventCodec,
  publicationId: string,
): Promise<LastAttempt | null> => {
  const stored = await store.readStream(`publication-${publicationId}`, { direction: 'backwards', limit: MAX_EVENTS });
  try {
    const events: readonly unknown[] = stored.toReversed().map((event) => codec.decode<PublicationEvent>(event));
    return findLastAttempt(events as readonly PublicationEvent[]);
  } catch (error) {
    if (isDamaged(error)) return null;
    throw error;
  }
};

/** Finds the latest attempt in a publication's events; null if there was none since it was queued. */
export const findLastAttempt = (events: readonly PublicationEvent[]): LastAttempt | null => {
  let failures = 0;
  let last: { isUnderWay: boolean; isFailed: boolean } | null = null;
  let error: PublicationError | null = null;
  for (const { type, data } of events) {
    if (type === 'PublicationStarted') last = { isUnderWay: true, isFailed: false };
    else if (type === 'PublicationPostponed') {
      const isFailed = data.rule === 'retry';
      if (isFailed) failures += 1;
      last = { isUnderWay: false, isFailed };
      error = data.error;
    } else if (type === 'PublicationResent' || type === 'PublicationHeld') {
      // The D-20 counters start over.
      failures = 0;
      last = null;
      error = null;
    }
  }
  if (!last) return null;
  const { isUnderWay, isFailed } = last;
  const number = Math.min(isFailed ? failures : failures + 1, MAX_ATTEMPTS);
  return { number, of: MAX_ATTEMPTS, isUnderWay, error };
};

export { type DueWait, findDueWait, type Hold } from './hold.js';

/** An unfinished publication, with the rule that holds it back. */
export interface ScheduledWithHold {
  readonly publication: ScheduledPublication;
  /** Null if it may go out or is not waiting. */
  readonly hold: Hold | null;
  /** Facts that explain the rule. */
  readonly context: {
    readonly channelName: string | null;
    readonly channelEnabled: boolean;
    /** Reason why the channel needs attention now; null if it does not, or the reason is not known yet. */
    readonly attention: Attention | null;
    readonly projectName: string | null;
    /** The channel's first publication, if it is ahead of this publication; otherwise null. */
    readonly first: ScheduledPublication | null;
    /** The rule that holds `first` back; null if there is none. */
    readonly firstRule: HoldRule | null;
    /** The latest attempt at `first`, or at this publication if `first` is null; null if there was none. */
    readonly lastAttempt: LastAttempt | null;
  };
}

interface HoldRow {
  readonly publication: PacedPublication;
  readonly channel: ScheduledChannel;
  readonly head: PacedPublication | null;
  readonly channel_name: string | null;
  readonly attention: Attention | null;
  readonly project_name: string | null;
}

/** SQL: a publication's row as a {@link PacedPublication}, using the database clock (`docs/clocks.md`). */
const withTurn = (row: string): string => `to_jsonb(${row}) || jsonb_build_object(
  'turn_at', case when ${row}_turn.slots[1] > clock_timestamp() then ceil(extract(epoch from ${row}_turn.slots[1]) * 1000) end,
  'uses_share', coalesce(share.slots[1] > clock_timestamp(), false))`;

/** Finds the rules that hold publications back; omits finished and unknown publications (D-36). */
@Injectable()
export class FindHolds {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly progress: ProjectionProgress,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  async execute(publicationIds: readonly string[], now: Instant): Promise<ScheduledWithHold[]> {
    const { minuteMs } = this;
    if (publicationIds.length === 0) return [];
    let rows = await this.findRows(publicationIds, now);
    if (rows.length < publicationIds.length) {
      // A missing publication is finished, or the schedule has not reached its post yet.
      await this.progress.waitUntilCaughtUp(['publish-schedule'], this.store);
      rows = await this.findRows(publicationIds, now);
    }
    const events = new Map<string, Promise<string | null>>();
    const attempts = new Map<string, Promise<LastAttempt | null>>();
    return Promise.all(
      rows.map(async ({ publication, channel, head, channel_name, attention, project_name }) => {
        const first = head && head.sequence < publication.sequence ? head : null;
        const hold = findHold(publication, channel, head, now, minuteMs);
        const eventId = hold && (hold.eventId ?? (await this.findCausingEvent(hold, channel, first, events)));
        return {
          publication,
          hold: hold && { ...hold, eventId },
          context: {
            channelName: channel_name,
            channelEnabled: channel.enabled,
            projectName: project_name,
            attention: channel.attention_until > now ? attention : null,
            first,
            firstRule: (first && findHold(first, channel, first, now, minuteMs)?.rule) ?? null,
            lastAttempt: await this.findLastAttempt(first ?? publication, attempts),
          },
        };
      }),
    );
  }

  private async findRows(publicationIds: readonly string[], now: Instant): Promise<HoldRow[]> {
    const { rows } = await this.pool.query<HoldRow>({
      name: 'holds',
      text: `
        select ${withTurn('p')} as publication, to_jsonb(c) as channel, ${withTurn('h')} as head,
          dc.name as channel_name, dc.state -> 'attention' as attention, dp.name as project_name
        from ${SCHEDULE}.scheduled_publication p
        join ${SCHEDULE}.channel c on c.channel_id = p.channel_id
        left join lateral (${selectQueue('c.channel_id', 'c.first_waiting', '$2', 1, SCHEDULE)}) h on true
        left join ops_pace p_turn on p_turn.key = $3 || p.publication_id
        left join ops_pace share on share.key = $4 || p.platform || '/' || p.owner_id
        left join ops_pace h_turn on h_turn.key = $3 || h.publication_id
        left join ${DISCOVERY}.channel dc on dc.channel_id = p.channel_id
        left join ${DISCOVERY}.project dp on dp.project_id = p.project_id
        where p.publication_id = any($1)`,
      values: [publicationIds, now, TURN_OF, SHARE_OF],
    });
    return rows;
  }

  /** @param known results found so far, shared because many publications wait behind the same one */
  private findLastAttempt(
    { publication_id, attempt }: ScheduledPublication,
    known: Map<string, Promise<LastAttempt | null>>,
  ): Promise<LastAttempt | null> {
    if (attempt === 0) return Promise.resolve(null);
    const found = known.get(publication_id) ?? readLastAttempt(this.store, this.codec, publication_id);
    known.set(publication_id, found);
    return found;
  }

  /** Finds the event that caused a hold if the hold has no event id. @param known results found so far */
  private findCausingEvent(
    { rule }: Hold,
    { channel_id }: ScheduledChannel,
    first: ScheduledPublication | null,
    known: Map<string, Promise<string | null>>,
  ): Promise<string | null> {
    if (rule === 'pace' || rule === 'share') return Promise.resolve(null); // no event causes these
    const [key, find] =
      rule === 'earlier_publication' && first
        ? [first.publication_id, () => this.findNewestEvent(first)]
        : [channel_id, () => this.findDisablingEvent(channel_id)];
    const found = known.get(key) ?? find();
    known.set(key, found);
    return found;
  }

  /** Finds a publication's newest event; if it has none, the event that queued its post. */
  private async findNewestEvent(row: ScheduledPublication): Promise<string | null> {
    const stream = `publication-${row.publication_id}`;
    const [newest] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    if (newest) return newest.id;
    const [accepted] = await this.store.readStream(row.post_stream, { from: BigInt(row.post_revision), limit: 1 });
    return accepted?.id ?? null;
  }

  private async findDisablingEvent(channelId: string): Promise<string | null> {
    const disabled = await findLast(this.store, `channel-${channelId}`, ({ type }) => type === 'ChannelDisabled');
    return disabled?.id ?? null;
  }
}

/** The latest recovery, and what it holds (D-80). */
export interface HeldCounts {
  /** Null if nothing was ever lost. */
  readonly facts: RecoveryStarted['data'] | null;
  /** Planned posts. */
  readonly planned: number;
  /** Publications. */
  readonly inDoubt: number;
  /** True until everything that waited is marked. */
  readonly isOpen: boolean;
}

/** Counts what a recovery holds. */
@Injectable()
export class CountHeld {
  constructor(@Inject(POOL) private readonly pool: Pick<Pool, 'query'>) {}

  /** @param ownerId null for all owners */
  async execute(ownerId: string | null): Promise<HeldCounts> {
    const isOwners = '($1::text is null or owner_id = $1)';
    const { rows } = await this.pool.query<HeldCounts>({
      name: 'count what a recovery holds',
      text: `select
          (select count(*)::int from ${PLANNED_POSTS}.planned_post where is_held and ${isOwners}) as planned,
          (select count(*)::int from ${SCHEDULE}.publication where is_restored and ${isOwners}) as "inDoubt",
          r.facts, r.is_open as "isOpen"
        from ops_recovery r`,
      values: [ownerId],
    });
    return rows[0]!;
  }

  /** Returns whether a recovery holds anything of any owner. */
  async holdsAnything(): Promise<boolean> {
    const { rows } = await this.pool.query<{ holds: boolean }>(
      `select (select is_open from ops_recovery)
         or exists (select from ${PLANNED_POSTS}.planned_post where is_held)
         or exists (select from ${SCHEDULE}.publication where is_restored) as holds`,
    );
    return rows[0]!.holds;
  }
}
