import { Injectable } from '@nestjs/common';
import type { Instant } from '../kernel/clock.js';

/** What a file is kept for: a post, a series, or a link in a published post (D-90, D-92). */
export type KeptFor = 'post' | 'series' | 'link';

/** Who needs an uploaded file. */
export interface MediaNeed {
  /** Null if nothing needs it now. */
  readonly keptFor: KeptFor | null;
  /** When the last need ended; null if there was none. The file is kept for MEDIA_DAYS afterwards. */
  readonly lastNeededAt: Instant | null;
}

/** The posts that need a file. */
export interface MediaUsers {
  readonly count: number;
  /** At most 50. */
  readonly postIds: readonly string[];
}

const NO_NEED: MediaNeed = { keptFor: null, lastNeededAt: null };

/** Says until when uploaded files are needed. Everything that shows, expires or deletes a file asks here. */
@Injectable()
export class MediaNeeds {
  /** Finds the needs of files; a file that nothing has needed is absent. */
  find(_mediaIds: readonly string[]): Promise<ReadonlyMap<string, MediaNeed>> {
    return Promise.resolve(new Map());
  }

  /** Finds the posts that need a file now. */
  findUsers(_mediaId: string): Promise<MediaUsers> {
    return Promise.resolve({ count: 0, postIds: [] });
  }
}

/** Returns when a file expires; null while something needs it. @param renewedAt its latest upload */
export const expiryOf = (renewedAt: Instant, need: MediaNeed | undefined, keptMs: number): Instant | null => {
  const { keptFor, lastNeededAt } = need ?? NO_NEED;
  return keptFor === null ? Math.max(renewedAt, lastNeededAt ?? 0) + keptMs : null;
};
