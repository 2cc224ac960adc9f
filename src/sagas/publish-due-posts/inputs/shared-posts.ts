import type { PostPayloads, PostWithPayload } from '../../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';

/** One publication's access to its shared post. */
export interface PostUse {
  /** Reads the post, unless another publication has read it already. @throws Unavailable @throws UnreadablePost */
  readonly read: () => Promise<PostWithPayload>;
  readonly end: () => void;
}

interface Shared {
  users: number;
  reading: Promise<PostWithPayload> | null;
}

/** Reads each post once for all of its running publications, because every read returns all targets of the post. */
export class SharedPosts {
  private readonly posts = new Map<string, Shared>();

  constructor(private readonly payloads: Pick<PostPayloads, 'readPost'>) {}

  /** Keeps a post in memory until its last use ends. */
  use({ post_id: id, post_stream: stream, post_revision: revision }: ScheduledPublication): PostUse {
    const shared = this.posts.get(id) ?? { users: 0, reading: null };
    this.posts.set(id, shared);
    shared.users++;
    return {
      read: () => {
        if (shared.reading) return shared.reading;
        shared.reading = this.payloads.readPost(stream, revision);
        shared.reading.catch(() => (shared.reading = null)); // the next publication tries again
        return shared.reading;
      },
      end: () => {
        shared.users--;
        if (shared.users === 0) this.posts.delete(id);
      },
    };
  }
}
