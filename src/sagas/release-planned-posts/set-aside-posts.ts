import { Injectable } from '@nestjs/common';

/** How long a post is set aside before its release is tried again, in ms. */
const RETRY_MS = 60_000;
/** Maximum number of posts that are set aside; if there are more, the cause is not in the posts. */
const MAX_POSTS = 10_000;

/** Planned posts that this process cannot release, so that they do not hold up others. */
@Injectable()
export class SetAsidePosts {
  private readonly posts = new Map<string, { readonly reason: string; readonly until: number }>();

  /** Ids of the posts whose release must not be tried now. */
  get ids(): string[] {
    const now = performance.now();
    return [...this.current(now)].flatMap(([id, { until }]) => (until > now ? [id] : []));
  }

  /**
   * Sets a post aside for a minute.
   * @returns true unless the post was set aside for the same reason before
   * @throws the error if too many posts are set aside
   */
  add(postId: string, reason: string, error: unknown): boolean {
    if (this.posts.size >= MAX_POSTS && !this.posts.has(postId)) throw error;
    const isNew = this.posts.get(postId)?.reason !== reason;
    this.posts.set(postId, { reason, until: performance.now() + RETRY_MS });
    return isNew;
  }

  /** Forgets a post that can be released after all, or need not be. */
  remove(postId: string): void {
    this.posts.delete(postId);
  }

  /** The number of posts that are set aside, and one of them with the reason; null if there are none. */
  get report(): { readonly count: number; readonly postId: string; readonly reason: string } | null {
    const [first] = this.current(performance.now());
    return first ? { count: this.posts.size, postId: first[0], reason: first[1].reason } : null;
  }

  /** Forgets posts that were not tried again when their time came: they are no longer due. */
  private current(now: number): typeof this.posts {
    for (const [id, { until }] of this.posts) if (until + RETRY_MS < now) this.posts.delete(id);
    return this.posts;
  }
}
