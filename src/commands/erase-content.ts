import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { owner } from '../domain/owner/owner.decider.js';
import type { OwnerContentErased } from '../domain/owner/owner.events.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import { monthOf } from '../event-store/content-keys.js';
import type { Position } from '../event-store/port.js';
import { type Job, type JobContext, type JobHandler, JobRuns, JobTable } from '../jobs/job.js';
import { CLOCK, type Clock, startOfMonth } from '../kernel/clock.js';
import type { Origin } from '../kernel/events.js';
import type { Json } from '../kernel/ids.js';
import { isRejection } from '../kernel/result.js';
import { POOL } from '../postgres/tokens.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { MediaQueries } from '../projections/media/media.queries.js';
import { POSTS } from '../projections/posts/posts.tables.js';
import { type NeededMonth, UnsettledContent } from '../projections/posts/unsettled.queries.js';
import { DELIVERIES } from '../projections/webhook-deliveries/webhook-deliveries.tables.js';
import { ContentKeyTable } from '../secrets/content-keys.js';
import { FILE_STORE, type FileStore } from '../uploads/file-store.js';
import { ReadModelsBehind } from './deletion.js';
import { DeleteMedia } from './media.js';

/** Job kind for erasing content. */
export const ERASE_CONTENT = 'erase-content';

/** Parameters of an erasing job. */
export type EraseContentParams = {
  /** Null for all owners: the retention of CONTENT_MONTHS. */
  readonly owner_id: string | null;
  /** Time in ms since 1970: months that ended at or before it are erased. */
  readonly before: number;
  /** Who asked for it, as in events. */
  readonly by: Pick<Origin, 'actor' | 'actorName' | 'requestId'>;
};

/** What a job has erased of one owner, and what it has left for a later one. */
interface ErasedContent {
  readonly owner_id: string;
  readonly months: readonly string[];
  readonly left: readonly NeededMonth[];
}

/** Read models with content, which they erase when they receive the event. */
const READ_MODELS = ['posts', 'request-log', 'webhook-deliveries', 'media', 'audit'];
/** Read models in which the job looks up what is not settled. */
const ASKED = ['posts', 'webhook-deliveries', 'media'];
const PAGE = 100;
const LOOK_MS = 100;
/** How long the deletion of an owner waits for the read models, in ms; below the limit of a saga's reaction. */
const SHOW_TIMEOUT_MS = 20_000;
/** Maximum number of owners that a result names. */
const NAMED = 100;

/**
 * Erases what people wrote, and where they wrote from (D-100). First the keys lose what opens the content, durably; then
 * an event makes every reader and read model forget it; then the copies outside them are deleted. Each step may be
 * repeated, so a crash in between leaves nothing half erased.
 */
@Injectable()
export class EraseContent {
  constructor(
    @Inject(POOL) private readonly pool: Pick<Pool, 'query'>,
    private readonly aggregates: AggregateStore,
    private readonly keys: ContentKeyTable,
    private readonly unsettled: UnsettledContent,
    private readonly media: MediaQueries,
    private readonly deletions: DeleteMedia,
    private readonly progress: ProjectionProgress,
    private readonly jobs: JobTable,
    @Inject(FILE_STORE) private readonly files: FileStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Erases everything of a deleted owner, also what is appended later. @throws Unavailable */
  async eraseDeleted(ownerId: string, context: CommandContext): Promise<void> {
    await this.keys.eraseOwner(ownerId);
    const position = await this.record(ownerId, null, context);
    // Otherwise the deletion is repeated.
    if (position !== null && !(await this.progress.waitFor(READ_MODELS, position, SHOW_TIMEOUT_MS)))
      throw new ReadModelsBehind();
    await this.deleteCopies(ownerId, null);
  }

  /** Erases the keys of an earlier erasure again, in case a restore or an import has brought them back. @throws Unavailable */
  async repeat({ ownerId, months }: OwnerContentErased['data']): Promise<void> {
    await (months === null ? this.keys.eraseOwner(ownerId) : this.keys.eraseMonths(ownerId, months));
  }

  /**
   * Starts the job that erases what is too old for CONTENT_MONTHS, at most once a day: it may have to leave a month.
   * @param months whole months that content is kept after its month has ended
   */
  async startRetention(months: number): Promise<void> {
    const before = startOfMonth(this.clock.now(), -months);
    if (!(await this.keys.hasBefore(monthOf(before)))) return;
    if (await this.jobs.hasStartedToday(ERASE_CONTENT, { owner_id: null })) return;
    const params: EraseContentParams = { owner_id: null, before, by: { actor: 'system:erase-content', requestId: '' } };
    try {
      await this.jobs.start({
        kind: ERASE_CONTENT,
        params: { ...params, by: { ...params.by } },
        subject: ERASE_CONTENT,
      });
    } catch (error) {
      if (!(error instanceof JobRuns)) throw error;
    }
  }

  /** Runs a job. @returns null if it was aborted @throws Unavailable */
  async run({ id, params }: Pick<Job, 'id' | 'params'>, { signal, report }: JobContext): Promise<Json> {
    const { owner_id, before, by } = params as unknown as EraseContentParams;
    const until = monthOf(before);
    await this.waitUntilShown(ASKED, signal);
    const erased: ErasedContent[] = [];
    let last: Position | null = null;
    for (let after = ''; !signal.aborted;) {
      const page = await this.keys.listMonths(until, { ownerId: owner_id, after, limit: PAGE });
      for (const { ownerId, months } of page) {
        if (signal.aborted) return null;
        const origin = { ...by, causationId: id, correlationId: id, clientAddress: null };
        const context = { ...origin, commandId: `${id}/${ownerId}`, at: this.clock.now() };
        const { position, ...content } = await this.eraseMonths(ownerId, months, context);
        if (position !== null) last = position;
        if (content.months.length + content.left.length > 0) erased.push(content);
      }
      if (page.length < PAGE) break;
      after = page.at(-1)!.ownerId;
    }
    if (owner_id === null) await this.keys.eraseUnowned(until);
    report(0.5);
    if (last !== null) await this.waitForReadModels(last, signal);
    for (const { owner_id: ownerId, months } of erased) await this.deleteCopies(ownerId, months);
    if (signal.aborted) return null;
    if (owner_id !== null) return (erased[0] ?? { owner_id, months: [], left: [] }) as unknown as Json;
    return { owners: erased.length, erased: erased.slice(0, NAMED) } as unknown as Json;
  }

  private async eraseMonths(
    ownerId: string,
    known: readonly string[],
    context: CommandContext,
  ): Promise<ErasedContent & { readonly position: Position | null }> {
    const left = await this.unsettled.findMonths(ownerId, known);
    const needed = new Set(left.map(({ month }) => month));
    const months = known.filter((month) => !needed.has(month));
    await this.keys.eraseMonths(ownerId, months);
    const position = months.length === 0 ? null : await this.record(ownerId, months, context);
    await this.deleteFiles(ownerId, months, context);
    return { owner_id: ownerId, months, left, position };
  }

  /** @returns null if it was recorded before, or there is no such owner */
  private async record(
    ownerId: string,
    months: readonly string[] | null,
    context: CommandContext,
  ): Promise<Position | null> {
    const command = { type: 'RecordErasedContent', ownerId, months } as const;
    const recorded = await this.aggregates.execute(owner, ownerId, command, context);
    return isRejection(recorded) ? null : recorded.aggregate.position;
  }

  /** Deletes the uploads of the months, unless posts with other content name them. A post that needs one keeps it. */
  private async deleteFiles(ownerId: string, months: readonly string[], context: CommandContext): Promise<void> {
    const files = await this.media.findOfMonths(ownerId, months);
    const ids = files.map(({ media_id }) => media_id);
    const others = await this.unsettled.findFilesOfOthers(ids, months);
    for (const { media_id: id, renewed_at, file } of files) {
      if (others.has(id)) continue;
      const each = { ...context, commandId: `${context.commandId}/${id}/${renewed_at}` };
      const deleted = await this.deletions.execute(each, id, 'expired', renewed_at);
      if (!isRejection(deleted)) await this.files.remove(file);
    }
  }

  /** Deletes the copies outside the event store and the read models. */
  private async deleteCopies(ownerId: string, months: readonly string[] | null): Promise<void> {
    const isOld = (time: string): string =>
      `($2::text[] is null or to_char(${time} at time zone 'UTC', 'YYYY-MM') = any($2))`;
    const values = [ownerId, months];
    await this.pool.query(`delete from ops_notice where owner_id = $1 and ${isOld('raised_at')}`, values);
    await this.pool.query(
      `delete from ops_key_use u using discovery.key k where k.key_id = u.key_id and k.owner_id = $1 and ${isOld('to_timestamp(u.at / 1000.0)')}`,
      values,
    );
    // Stored answers that mention an erased post or delivery. Their keys stay, so that a repeated call changes nothing.
    await this.pool.query(
      `update ops_idempotent_answer set body = jsonb_set(body::jsonb, '{body}', '{"content_erased":true}')::text
       where body is not null and exists (select from regexp_matches(body, '"((?:post|pub|dlv)_\\w+)"', 'g') found(id)
         where exists (select from ${POSTS}.post p where p.post_id = id[1] and p.owner_id = $1 and p.content_erased)
           or exists (select from ${POSTS}.publication u join ${POSTS}.post p using (post_id)
             where u.publication_id = id[1] and p.owner_id = $1 and p.content_erased)
           or exists (select from ${DELIVERIES}.delivery d
             where d.delivery_id = id[1] and d.owner_id = $1 and d.content_erased))`,
      [ownerId],
    );
    // All of them, because their streams do not name the owner. Readers fold the events again.
    await this.pool.query('delete from ops_history_snapshot');
    await this.pool.query(
      `update ops_job set result = jsonb_set(result, '{examples}', '[]')
       where state <> 'running' and jsonb_typeof(result -> 'examples') = 'array'`,
    );
  }

  private async waitUntilShown(names: readonly string[], signal: AbortSignal): Promise<void> {
    const head = await this.aggregates.store.readHead();
    while (!signal.aborted && !(await this.progress.waitFor(names, head, 1_000)));
  }

  /**
   * Waits until no version of a read model holds what was erased. Former versions of another program, which cannot read
   * the events any more, are given up.
   */
  private async waitForReadModels(position: Position, signal: AbortSignal): Promise<void> {
    await this.pool.query(
      `update ops_projection p set previous_version = null from ops_checkpoint v, ops_checkpoint l
       where p.name = any($1) and v.name = p.name and v.version = p.previous_version
         and l.name = p.name and l.version = p.live_version and v.code <> l.code`,
      [READ_MODELS],
    );
    while (!signal.aborted) {
      const { rows } = await this.pool.query(
        'select from ops_checkpoint where name = any($1) and position < $2 limit 1',
        [READ_MODELS, position],
      );
      if (rows.length === 0) return;
      await sleep(LOOK_MS);
    }
  }
}

/** Creates the handler of erasing jobs. An interrupted job starts again: what was erased stays erased. */
export const createErasureHandler = (erasure: EraseContent): JobHandler => ({
  kind: ERASE_CONTENT,
  run: (job, context) => erasure.run(job, context),
});
