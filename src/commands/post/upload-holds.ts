import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { media } from '../../domain/media/media.decider.js';
import { UPLOAD_MESSAGES } from '../../domain/messages.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { EVENT_STORE, type EventStore, NotAppended } from '../../event-store/port.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { type JsonObject, newUuid } from '../../kernel/ids.js';
import { reject, type Rejection } from '../../kernel/result.js';
import type { PostMedium } from '../../payload/payload.js';
import { toLocated } from '../../payload/uploads.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { FindMediaUses } from '../../projections/posts/media-uses.queries.js';
import { backoffDelay } from '../../runtime/backoff.js';
import { AcceptanceLimit } from '../plan-limits.js';

/** Keeps the uploads that published posts link to (D-22, D-92): a link in a published post must not die. */
@Injectable()
export class UploadLinks {
  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Notes which uploads a call to a network links to. Call it before the call is made, so that no answer is needed.
   * @param located the post's media, with their addresses
   * @throws Unavailable
   */
  async keepLinked(
    call: { readonly request: JsonObject } | undefined,
    located: readonly PostMedium[] | undefined,
    postId: string,
    origin: Origin,
  ): Promise<void> {
    const uploads = (located ?? []).map(toLocated).flatMap(({ id, url }) => (id === undefined ? [] : [{ id, url }]));
    if (!call || uploads.length === 0) return;
    const request = JSON.stringify(call.request);
    for (const { id: mediaId, url } of uploads) {
      if (!request.includes(url)) continue;
      const at = this.clock.now();
      const context = { ...origin, commandId: newUuid(), at };
      await this.aggregates.execute(media, mediaId, { type: 'LinkMedia', mediaId, postId, at }, context);
    }
  }
}

/** How long files are held for a post whose process has died, in ms; longer than {@link ACCEPTED_WITHIN_MS}. */
const HOLD_MS = 15 * 60_000;
/** Time limit from a hold to the append that needs the files, in ms. */
const ACCEPTED_WITHIN_MS = 10 * 60_000;
/** How long a file that is being deleted refuses posts if the deleting process has died, in ms. */
const CLAIM_MS = 60_000;
/** How long a post waits to learn whether a file is deleted, in ms. */
const WAIT_MS = 5_000;
const LOOK_INTERVAL = { firstMs: 10, longestMs: 200 };

/**
 * Makes sure that an accepted post never loses an uploaded file (D-90): of a post and a deletion that meet, one is
 * refused. A post holds its files in the database from before its event until the read model shows who needs them; a
 * deletion claims the file first, and then looks for posts.
 */
@Injectable()
export class UploadHolds {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly uses: FindMediaUses,
    private readonly progress: ProjectionProgress,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Appends an event that names files, while nothing can delete them.
   * @param append gets the time limit for the append; returns `isUsed` false if no event names the files
   * @returns a rejection that names the files which do not exist any more
   * @throws NotAppended if a file is being deleted for too long @throws Unavailable
   */
  async holdWhile<R>(
    postId: string,
    mediaIds: readonly string[],
    append: (limit: AcceptanceLimit) => Promise<{ readonly result: R; readonly isUsed: boolean }>,
  ): Promise<R | Rejection<'unknown_media'>> {
    const holdId = newUuid();
    await this.hold(mediaIds, holdId, postId);
    const limit = new AcceptanceLimit(ACCEPTED_WITHIN_MS, this.clock);
    const gone = await this.findGone(mediaIds);
    if (gone.length > 0) {
      await this.release(holdId);
      return reject('unknown_media', UPLOAD_MESSAGES.unknown, { ids: gone });
    }
    const { result, isUsed } = await append(limit); // if its outcome is unknown, the hold expires
    void (isUsed ? this.releaseOnceShown(holdId) : this.release(holdId)).catch(() => undefined);
    return result;
  }

  /**
   * Deletes a file that no post needs.
   * @param remove appends the deletion
   * @returns a rejection with the `post_ids` that need the file
   * @throws Unavailable
   */
  async deleteUnneeded<R>(mediaId: string, remove: () => Promise<R>): Promise<R | Rejection<'media_in_use'>> {
    // Most refusals need no claim, which would make posts wait.
    const known = await this.uses.findUsers(mediaId);
    if (known.count > 0) return inUse(known.postIds);
    const holdId = newUuid();
    const { rows } = await this.pool.query<{ posts: readonly string[] }>({
      name: 'claim media',
      text: 'select ops_claim_media($1, $2, $3) as posts',
      values: [mediaId, holdId, CLAIM_MS],
    });
    if (rows[0]!.posts.length > 0) return inUse(rows[0]!.posts);
    const limit = new AcceptanceLimit(CLAIM_MS / 2, this.clock);
    try {
      // Posts that have released their holds are in the read model; it must also show those whose holds have expired.
      if (!(await this.progress.waitFor(['posts'], await this.store.readHead())))
        throw new NotAppended('the read model of posts is behind: delete the file later');
      const { count, postIds } = await this.uses.findUsers(mediaId);
      if (count > 0) return inUse(postIds);
      limit.check();
      return await remove();
    } finally {
      await this.release(holdId).catch(() => undefined); // otherwise it expires
    }
  }

  private async hold(mediaIds: readonly string[], holdId: string, postId: string): Promise<void> {
    const startedAt = performance.now();
    for (let looks = 0; ; looks++) {
      const { rows } = await this.pool.query<{ is_held: boolean }>({
        name: 'hold media',
        text: 'select ops_hold_media($1, $2, $3, $4) as is_held',
        values: [mediaIds, holdId, postId, HOLD_MS],
      });
      if (rows[0]!.is_held) return;
      if (performance.now() - startedAt > WAIT_MS) throw new NotAppended('an uploaded file is being deleted');
      await sleep(backoffDelay(LOOK_INTERVAL, looks));
    }
  }

  private async findGone(mediaIds: readonly string[]): Promise<readonly string[]> {
    const loaded = await Promise.all(mediaIds.map((id) => this.aggregates.loadAggregate(media, id)));
    return mediaIds.filter((_, i) => !loaded[i]!.state || loaded[i]!.state.deleted);
  }

  private async releaseOnceShown(holdId: string): Promise<void> {
    if (await this.progress.waitFor(['posts'], await this.store.readHead())) await this.release(holdId);
  }

  private async release(holdId: string): Promise<void> {
    const text = 'delete from ops_media_hold where hold_id = $1';
    await this.pool.query({ name: 'release media', text, values: [holdId] });
  }
}

const inUse = (postIds: readonly string[]): Rejection<'media_in_use'> =>
  reject('media_in_use', UPLOAD_MESSAGES.inUse, { post_ids: [...postIds] });
