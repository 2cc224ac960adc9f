import { networkInText, NETWORKS } from '../../components/networks.js';
import type { Format } from '../../i18n/format.js';
import { causeOf } from '../../publications/describe-waiting.js';
import {
  type Post,
  type Publication,
  SEVERITY,
  type ShownState,
  shownState,
  type WaitRule,
} from '../../publications/shown-state.js';
import type { TimelineMessages } from './messages.js';
import type { Page } from './post-list.js';

/** How many posts are waiting, by what they are waiting for. */
export interface WaitingSummary {
  readonly total: number;
  readonly person: number;
  readonly pause: number;
  readonly retry: number;
  /** Posts that are waiting for their network to accept more, by network. */
  readonly networks: Readonly<Record<string, number>>;
  /** Posts that are waiting for their turn or are about to be published. */
  readonly next: number;
}

const COUNTED_AS: Readonly<Record<WaitRule, 'person' | 'pause' | 'retry' | 'network' | 'next'>> = {
  scheduled: 'next',
  approval: 'person',
  restored: 'person',
  project_pause: 'pause',
  channel_pause: 'pause',
  backlog_spacing: 'pause',
  earlier_publication: 'next',
  retry: 'retry',
  platform_limit: 'network',
  pace: 'network',
  share: 'next',
  needs_attention: 'person',
  quota: 'person',
};

/** Causes of a wait. A post with several is counted under the first. */
const ORDER = ['person', 'pause', 'network', 'retry', 'next'] as const;

/**
 * Counts waiting posts by the cause of their wait, each post once. A publication that is waiting behind another counts
 * under the other's cause.
 */
export const summarizeWaiting = (posts: readonly Pick<Post, 'publications'>[]): WaitingSummary => {
  const waiting = posts
    .map(({ publications }) => publications.filter(({ state }) => state === 'queued'))
    .filter((queued) => queued.length > 0);
  const byId = new Map(waiting.flat().map((publication) => [publication.id, publication]));
  const counts = { total: waiting.length, person: 0, pause: 0, retry: 0, next: 0 };
  const networks: Record<string, number> = {};
  for (const queued of waiting) {
    const causes = queued.map((publication) => {
      const cause = rootCause(publication, byId);
      return { platform: publication.platform, cause: cause === null ? 'next' : COUNTED_AS[cause] };
    });
    const [first] = causes.toSorted((a, b) => ORDER.indexOf(a.cause) - ORDER.indexOf(b.cause));
    if (first?.cause === 'network') networks[first.platform] = (networks[first.platform] ?? 0) + 1;
    else if (first) counts[first.cause]++;
  }
  return { ...counts, networks };
};

/**
 * Returns the rule behind a wait. If the publication is waiting behind another, returns the rule behind the wait of
 * that publication, if known.
 */
const rootCause = (publication: Publication, byId: ReadonlyMap<string, Publication>): WaitRule | null => {
  const cause = causeOf(publication);
  const blockedBy = publication.waiting_for?.blocked_by ?? null;
  if (cause !== 'earlier_publication' || blockedBy === null) return cause;
  const first = byId.get(blockedBy);
  return first ? causeOf(first) : cause;
};

/**
 * Returns the heading of the timeline: how many posts are waiting, and for what.
 * @param isMore true if there are more posts than were counted
 */
export const describeSummary = (
  { total, person, pause, retry, next, networks }: WaitingSummary,
  isMore: boolean,
  m: TimelineMessages,
  format: Format,
): string => {
  if (isMore) return m.manyWaiting(format.number(total));
  const reasons: readonly (readonly [number, string])[] = [
    [person, m.forYou],
    [pause, m.forPause],
    ...NETWORKS.map((network) => [networks[network] ?? 0, m.forNetwork(networkInText(network))] as const),
    [retry, m.forRetry],
    [next, m.forTurn],
  ];
  const parts = reasons.filter(([count]) => count > 0);
  const only = parts.length === 1 ? parts[0] : undefined;
  if (parts.length === 0) return m.allPublished;
  if (only) return m.waitingFor(total, format.number(total), only[1]);
  return m.waiting(
    total,
    format.number(total),
    parts.map(([count, reason]) => m.part(format.number(count), reason)),
  );
};

/**
 * How many of a channel's publications are in doubt, failed or waiting. All waiting publications are counted together,
 * under the worst of their states.
 */
export type LaneCounts = readonly { readonly state: ShownState; readonly count: number }[];

/** Counts the publications that are in doubt, failed or waiting, by channel. */
export const countByChannel = (
  pages: Readonly<Record<'queued' | 'inDoubt' | 'failed', Page | undefined>>,
): ReadonlyMap<string, LaneCounts> => {
  const lanes = new Map<string, LaneCounts>();
  const kinds = { in_doubt: pages.inDoubt, failed: pages.failed, queued: pages.queued };
  for (const [state, page] of Object.entries(kinds))
    for (const [channel, publications] of groupByChannel(page, state))
      lanes.set(channel, [...(lanes.get(channel) ?? []), { state: worst(publications), count: publications.length }]);
  return lanes;
};

/** How many posts were counted, and whether there may be more. */
export interface Count {
  readonly count: number;
  readonly isMore: boolean;
}

/** Counts the posts with a publication in a state on a page; undefined while the page is loading. */
export const countInState = (page: Page | undefined, state: Publication['state']): Count | undefined =>
  page && {
    count: page.items.filter(({ publications }) => publications.some((each) => each.state === state)).length,
    isMore: page.next !== null,
  };

/** Formats a count: `200+` if there may be more. */
export const showCount = ({ count, isMore }: Count, format: Format): string =>
  `${format.number(count)}${isMore ? '+' : ''}`;

const groupByChannel = (page: Page | undefined, state: string): ReadonlyMap<string, readonly Publication[]> => {
  const groups = new Map<string, Publication[]>();
  for (const publication of (page?.items ?? []).flatMap(({ publications }) => publications)) {
    if (publication.state !== state) continue;
    const group = groups.get(publication.target_id);
    if (group) group.push(publication);
    else groups.set(publication.target_id, [publication]);
  }
  return groups;
};

const worst = (publications: readonly Publication[]): ShownState => {
  const states = new Set(publications.map(shownState));
  return SEVERITY.find((state) => states.has(state)) ?? 'waiting';
};
