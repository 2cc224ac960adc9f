import { Injectable } from '@nestjs/common';
import { iso } from '../../../kernel/instant.js';
import { ActivityQueries } from '../../../projections/activity/activity.queries.js';
import type { FeedRow } from '../../../projections/activity/activity.tables.js';
import { ResourceNames } from '../../../projections/discovery/resource-names.queries.js';
import { PostExcerpts } from '../../../projections/posts/post-excerpts.queries.js';
import type { RecentView } from './overview.view.js';

/** Most entries that are shown. */
const SHOWN = 20;

/** Builds the list of the latest events. */
@Injectable()
export class RecentBuilder {
  constructor(
    private readonly activity: ActivityQueries,
    private readonly excerpts: PostExcerpts,
    private readonly names: ResourceNames,
  ) {}

  /** @param ownerId null: all owners' */
  async build(ownerId: string | null): Promise<RecentView[]> {
    const shown = keepLatest(await this.activity.readFeed(ownerId)).slice(0, SHOWN);
    const resources = shown.flatMap(({ post_id, subject_id }) => (post_id === null ? [subject_id] : []));
    const [excerpts, names] = await Promise.all([
      this.excerpts.find(shown.flatMap(({ post_id }) => post_id ?? [])),
      this.names.find(resources),
    ]);
    return shown.map(({ at, kind, platform, post_id, subject_id }) => {
      const isPublication = post_id !== null;
      return {
        ...{ at: iso(at), kind, platform, post_id },
        publication_id: isPublication ? subject_id : null,
        excerpt: isPublication ? (excerpts.get(post_id) ?? null) : null,
        resource_id: isPublication ? null : subject_id,
        name: isPublication ? null : (names.get(subject_id) ?? null),
      };
    });
  }
}

/** Keeps of each publication and resource its latest entry. */
const keepLatest = (newestFirst: readonly FeedRow[]): FeedRow[] => {
  const seen = new Set<string>();
  return newestFirst.filter(({ subject_id }) => !seen.has(subject_id) && seen.add(subject_id));
};
