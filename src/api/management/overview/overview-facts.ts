import type { PostsLeft } from '../../../domain/owner/monthly-quota.js';
import type { Instant } from '../../../kernel/instant.js';
import type { Activity, WaitingOwner } from '../../../projections/activity/activity.queries.js';
import type { Alerts } from '../../../projections/activity/alerts.queries.js';
import type { OwnerRow } from '../../../projections/discovery/discovery.tables.js';
import type { OpenDuplicates } from '../../../projections/posts/open-duplicates.queries.js';
import type { PendingApprovals } from '../../../projections/posts/pending-approvals.queries.js';
import type { PublicationDetails } from '../../../projections/posts/publication-details.queries.js';
import type { UsedUpOwner } from '../../../projections/posts/used-up.queries.js';
import type { HeldCounts } from '../../../projections/publish-schedule/held-counts.queries.js';
import type { NextPublications } from '../../../projections/publish-schedule/next-publications.queries.js';
import type { PublicationView } from '../posts/publication.view.js';
import type { ShownTimes } from './time-series.js';

/** Maximum number of ids in an attention item. */
export const MOST_IDS = 20;
/** Maximum number of waiting publications, and of longest-waiting owners, to show. */
export const MOST_WAITING = 10;

/** The data that an overview is built from. */
export interface OverviewFacts {
  readonly times: ShownTimes;
  /** Identifiers of the networks. */
  readonly platforms: readonly string[];
  /** Null if all owners are shown. */
  readonly owner: (OwnerRow & { readonly postsLeft: PostsLeft }) | null;
  readonly activity: Activity;
  readonly alerts: Alerts;
  readonly next: NextPublications;
  readonly duplicates: OpenDuplicates;
  readonly approvals: PendingApprovals;
  readonly held: HeldCounts;
  /** Owners who have used up their quota, and when they did; earliest first. */
  readonly usedUp: readonly (UsedUpOwner & { readonly since: Instant })[];
  /** Number of queued publications of the first channel that needs attention; null if no channel needs attention. */
  readonly waitingOnChannel: number | null;
  /** Owners whose publications have waited longest; null unless all owners are shown. */
  readonly waitingOwners: readonly WaitingOwner[] | null;
  /** Ids of the waiting publications to show. */
  readonly waiting: readonly string[];
  /** Details of the publications to describe, by id. */
  readonly details: ReadonlyMap<string, PublicationDetails>;
  /** Views of the queued publications, by id; empty while the event store cannot be read. */
  readonly views: ReadonlyMap<string, PublicationView>;
  /** The first characters of posts, by post id. */
  readonly excerpts: ReadonlyMap<string, string | null>;
  /** Names of the resources in the feed. */
  readonly names: ReadonlyMap<string, string>;
}
