import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Attention } from '../../domain/channel/channel.events.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../engine/progress.js';
import { type Hold, holdOf } from './hold.js';
import type { ScheduledChannel, ScheduledPublication } from './publish-schedule.tables.js';

export type { Hold } from './hold.js';

/** A publication that is not over, as the schedule sees it. */
export interface Scheduled {
  readonly publication: ScheduledPublication;
  /** What holds it back; null: it may go, or does not wait. */
  readonly hold: Hold | null;
  /** For people: what the rules speak of. */
  readonly context: {
    readonly channelName: string | null;
    readonly channelEnabled: boolean;
    readonly attention: Attention | null;
    readonly projectName: string | null;
    /** The publication that goes before this one; null where this is the next. */
    readonly first: ScheduledPublication | null;
  };
}

/** Why these publications wait; those that are over, or unknown, are left out (D-36). */
export class FindHolds extends Query<Scheduled[]> {
  constructor(
    readonly publicationIds: readonly string[],
    readonly now: Instant,
    /** Spacing of a pause's backlog (D-21, MINUTE_MS). */
    readonly minuteMs: number,
  ) {
    super();
  }
}

interface Facts {
  readonly publication: ScheduledPublication;
  readonly channel: ScheduledChannel;
  readonly head: ScheduledPublication | null;
  readonly channel_name: string | null;
  readonly attention: Attention | null;
  readonly project_name: string | null;
}

@QueryHandler(FindHolds)
export class FindHoldsHandler implements IQueryHandler<FindHolds> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute({ publicationIds, now, minuteMs }: FindHolds): Promise<Scheduled[]> {
    if (publicationIds.length === 0) return [];
    let rows = await this.find(publicationIds, now);
    if (rows.length < publicationIds.length) {
      // Over, or so new that the schedule has yet to hear of it.
      await this.progress.catchUp(['publish-schedule'], this.store);
      rows = await this.find(publicationIds, now);
    }
    const events = new Map<string, Promise<string | null>>();
    return Promise.all(
      rows.map(async ({ publication, channel, head, channel_name, attention, project_name }) => {
        const first = head && head.sequence < publication.sequence ? head : null;
        const hold = holdOf(publication, channel, head, now, minuteMs);
        return {
          publication,
          hold: hold && { ...hold, eventId: hold.eventId ?? (await this.eventBehind(hold, channel, first, events)) },
          context: {
            ...{ channelName: channel_name, channelEnabled: channel.enabled, attention, projectName: project_name },
            first,
          },
        };
      }),
    );
  }

  private async find(publicationIds: readonly string[], now: Instant): Promise<Facts[]> {
    const { rows } = await this.pool.query<Facts>({
      name: 'holds',
      text: `
        select to_jsonb(p) as publication, to_jsonb(c) as channel, to_jsonb(h) as head,
          dc.name as channel_name, dc.attention, dp.name as project_name
        from publish_schedule.publication p
        join publish_schedule.channel c on c.channel_id = p.channel_id
        left join lateral (
          select * from publish_schedule.publication q
          where q.channel_id = p.channel_id and q.waits and q.not_before <= $2
          order by q.sequence limit 1) h on true
        left join discovery.channel dc on dc.channel_id = p.channel_id
        left join discovery.project dp on dp.project_id = p.project_id
        where p.publication_id = any($1)`,
      values: [publicationIds, now],
    });
    return rows;
  }

  /** The event behind a hold whose own row does not name it. @param known what was found for others of the same page */
  private eventBehind(
    { rule }: Hold,
    { channel_id }: ScheduledChannel,
    first: ScheduledPublication | null,
    known: Map<string, Promise<string | null>>,
  ): Promise<string | null> {
    const [key, find] =
      rule === 'earlier_publication' && first
        ? [first.publication_id, () => this.newestOf(first)]
        : [channel_id, () => this.switchedOff(channel_id)];
    const found = known.get(key) ?? find();
    known.set(key, found);
    return found;
  }

  /** The newest event of a publication: its start, or else the post's acceptance. */
  private async newestOf(row: ScheduledPublication): Promise<string | null> {
    const stream = `publication-${row.publication_id}`;
    const [newest] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    if (newest) return newest.id;
    const [accepted] = await this.store.readStream(row.post_stream, { from: BigInt(row.post_revision), limit: 1 });
    return accepted?.id ?? null;
  }

  private async switchedOff(channelId: string): Promise<string | null> {
    const events = await this.store.readStream(`channel-${channelId}`);
    return events.findLast(({ type }) => type === 'ChannelDisabled')?.id ?? null;
  }
}
