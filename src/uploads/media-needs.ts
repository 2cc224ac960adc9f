import { Injectable } from '@nestjs/common';
import type { Instant } from '../kernel/clock.js';
import { MediaQueries } from '../projections/media/media.queries.js';
import { FindMediaUses, type MediaUsers } from '../projections/posts/media-uses.queries.js';

/** What a file is kept for: a post, a series, or a link in a published post (D-90, D-92). */
export type KeptFor = 'post' | 'series' | 'link';

/** Who needs an uploaded file. */
export interface MediaNeed {
  /** Null if nothing needs it now. */
  readonly keptFor: KeptFor | null;
  /** When the last need ended; null if there was none. The file is kept for MEDIA_DAYS afterwards. */
  readonly lastNeededAt: Instant | null;
}

export type { MediaUsers };

const NO_NEED: MediaNeed = { keptFor: null, lastNeededAt: null };

/** Says until when uploaded files are needed. Everything that shows, expires or deletes a file asks here. */
@Injectable()
export class MediaNeeds {
  constructor(
    private readonly uses: FindMediaUses,
    private readonly media: MediaQueries,
  ) {}

  /** Finds the needs of files; a file that nothing has needed is absent. */
  async find(mediaIds: readonly string[]): Promise<ReadonlyMap<string, MediaNeed>> {
    const [uses, linked] = await Promise.all([this.uses.find(mediaIds), this.media.findLinked(mediaIds)]);
    return new Map(
      mediaIds.map((id): [string, MediaNeed] => {
        const use = uses.get(id);
        const keptFor = use?.isNeeded ? 'post' : linked.has(id) ? 'link' : null;
        return [id, { keptFor, lastNeededAt: use?.lastNeededAt ?? null }];
      }),
    );
  }

  /** Finds the posts that need a file now. */
  findUsers(mediaId: string): Promise<MediaUsers> {
    return this.uses.findUsers(mediaId);
  }
}

/** Returns when a file expires; null while something needs it. @param renewedAt its latest upload */
export const expiryOf = (renewedAt: Instant, need: MediaNeed | undefined, keptMs: number): Instant | null => {
  const { keptFor, lastNeededAt } = need ?? NO_NEED;
  return keptFor === null ? Math.max(renewedAt, lastNeededAt ?? 0) + keptMs : null;
};
