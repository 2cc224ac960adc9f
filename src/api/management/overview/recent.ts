import { iso } from '../../../kernel/instant.js';
import type { FeedRow } from '../../../projections/activity/activity.tables.js';
import type { RecentView } from './overview.view.js';
import type { OverviewFacts } from './overview-facts.js';

/** Maximum number of entries to show. */
const SHOWN = 20;

/** Picks the feed entries to show, newest first: only the latest entry per publication or resource. */
export const listRecent = (feed: readonly FeedRow[]): FeedRow[] => {
  const seen = new Set<string>();
  return feed
    .toSorted((a, b) => b.number - a.number)
    .filter(({ subject_id }) => !seen.has(subject_id) && seen.add(subject_id))
    .slice(0, SHOWN);
};

/** Builds the views of the latest feed entries. */
export const buildRecent = ({ activity, excerpts, names }: OverviewFacts): RecentView[] =>
  listRecent(activity.feed).map(({ at, kind, platform, post_id, subject_id }) => {
    const isPublication = post_id !== null;
    return {
      at: iso(at),
      kind,
      platform,
      post_id,
      publication_id: isPublication ? subject_id : null,
      excerpt: isPublication ? (excerpts.get(post_id) ?? null) : null,
      resource_id: isPublication ? null : subject_id,
      name: isPublication ? null : (names.get(subject_id) ?? null),
    };
  });
