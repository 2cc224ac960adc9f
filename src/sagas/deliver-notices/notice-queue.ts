import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { Locale } from '../../domain/owner/owner.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { newUuid } from '../../kernel/ids.js';
import { POOL } from '../../postgres/tokens.js';
import { FollowsLog } from '../engine/event-saga.js';
import { NOTICE_GROUP_EN, NOTICE_GROUP_RU } from './messages.js';

/** Notices of one kind to one owner. */
export interface NoticeGroup {
  readonly owner_id: string;
  readonly kind: string;
}

/** Notices sent together as one message; every attempt sends the same notices. */
export interface NoticeBatch {
  readonly batch: string;
  readonly count: number;
  /** The messages of the oldest notices. */
  readonly texts: readonly string[];
  /** Time since the oldest notice was raised, in ms. */
  readonly ageMs: number;
  /** Number of consecutive failed attempts to send this batch. */
  readonly failures: number;
}

/** Queue of notices (`ops_notice`), and the earliest time of the next message of each kind (`ops_notice_pace`). */
@Injectable()
export class NoticeQueue {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Adds a notice; ignores repeats for a day after its delivery. */
  async add({ noticeId, ownerId, kind, text, at }: NoticeRaised['data']): Promise<void> {
    await this.pool.query(
      `insert into ops_notice (notice_id, owner_id, kind, text, raised_at)
       values ($1, $2, $3, $4, to_timestamp($5 / 1000.0)) on conflict do nothing`,
      [noticeId, ownerId, kind, text, at],
    );
  }

  /** Lists the due groups, oldest first. */
  async findDue(limit: number): Promise<readonly NoticeGroup[]> {
    const { rows } = await this.pool.query<NoticeGroup>(
      `select n.owner_id, n.kind from ops_notice n left join ops_notice_pace p using (owner_id, kind)
       where n.settled_at is null and (p.next_at is null or p.next_at <= clock_timestamp())
       group by 1, 2 order by min(n.raised_at) limit $1`,
      [limit],
    );
    return rows;
  }

  /** Returns the group's next batch: an unfinished batch, or else all waiting notices; null if there are none. */
  async openBatch({ owner_id, kind }: NoticeGroup, maxTexts: number): Promise<NoticeBatch | null> {
    await this.pool.query(
      `update ops_notice set batch = $3 where owner_id = $1 and kind = $2 and batch is null and settled_at is null
       and not exists (select from ops_notice b
         where b.owner_id = $1 and b.kind = $2 and b.batch is not null and b.settled_at is null)`,
      [owner_id, kind, newUuid()],
    );
    const { rows } = await this.pool.query<NoticeBatch>(
      `select n.batch, count(*)::int as count, (array_agg(n.text order by n.raised_at, n.notice_id))[:$3] as texts,
         (extract(epoch from clock_timestamp() - min(n.raised_at)) * 1000)::float8 as "ageMs",
         coalesce((select p.failures from ops_notice_pace p where p.owner_id = $1 and p.kind = $2), 0) as failures
       from ops_notice n where n.owner_id = $1 and n.kind = $2 and n.batch is not null and n.settled_at is null
       group by n.batch limit 1`,
      [owner_id, kind, maxTexts],
    );
    return rows[0] ?? null;
  }

  /** Ends a batch, delivered or not. The next message of its kind waits for `quietMs`. */
  async settle({ owner_id, kind }: NoticeGroup, { batch }: NoticeBatch, quietMs: number): Promise<void> {
    await this.pool.query(
      `with ended as (
         update ops_notice set settled_at = clock_timestamp(), text = '' where owner_id = $1 and kind = $2 and batch = $3)
       insert into ops_notice_pace (owner_id, kind, next_at, failures)
       values ($1, $2, clock_timestamp() + $4 * interval '1 ms', 0)
       on conflict (owner_id, kind) do update set next_at = excluded.next_at, failures = 0`,
      [owner_id, kind, batch, quietMs],
    );
  }

  /** Makes a batch due again later. */
  async postpone({ owner_id, kind }: NoticeGroup, delayMs: number): Promise<void> {
    await this.pool.query(
      `insert into ops_notice_pace as p (owner_id, kind, next_at, failures)
       values ($1, $2, clock_timestamp() + $3 * interval '1 ms', 1)
       on conflict (owner_id, kind) do update set next_at = excluded.next_at, failures = p.failures + 1`,
      [owner_id, kind, delayMs],
    );
  }

  /** Drops all notices to an owner without a chat. */
  async dropAll(ownerId: string): Promise<void> {
    await this.pool.query(
      `update ops_notice set settled_at = clock_timestamp(), text = '' where owner_id = $1 and settled_at is null`,
      [ownerId],
    );
  }

  /** Deletes notices settled over a day ago, and rows of `ops_notice_pace` that no longer delay a message. */
  async forget(): Promise<void> {
    await this.pool.query(`delete from ops_notice where settled_at < clock_timestamp() - interval '1 day'`);
    await this.pool.query(
      `delete from ops_notice_pace p where next_at < clock_timestamp() - interval '1 hour' and not exists (
         select from ops_notice n where n.owner_id = p.owner_id and n.kind = p.kind and n.settled_at is null)`,
    );
  }
}

/** Queues each raised notice for delivery. Repeated events are ignored until a day after delivery. */
@FollowsLog<NoticeRaised>({ name: 'queue-notices', types: ['NoticeRaised'], startsAt: 'now', lanes: 'owner' })
export class QueueNotices {
  constructor(private readonly queue: NoticeQueue) {}

  react({ data }: RecordedEventOf<NoticeRaised>): Promise<void> {
    return this.queue.add(data);
  }
}

/** Maximum number of notices that a message lists in full. */
export const MAX_LISTED = 8;
/** Maximum length of a listed notice, in UTF-16 units: eight notices fit into one message on any network. */
const MAX_LENGTH = 450;

/**
 * Renders notices of one kind as one message.
 * @param texts the first notices, oldest first
 * @param count total number of notices
 */
export const renderNotices = (texts: readonly string[], count: number, locale: Locale): string => {
  const say = locale === 'ru' ? NOTICE_GROUP_RU : NOTICE_GROUP_EN;
  if (count <= 1) return texts[0] ?? '';
  const listed = texts.slice(0, MAX_LISTED).map((text) => `• ${shorten(text)}`);
  const more = count > listed.length ? [say.more({ count: count - listed.length })] : [];
  return [say.several({ count }), ...listed, ...more].join('\n\n');
};

const shorten = (text: string): string =>
  text.length <= MAX_LENGTH
    ? text
    : `${Buffer.from(text.slice(0, MAX_LENGTH - 1))
        .toString()
        .replace(/\ufffd$/, '')}…`;
