import { type Instant, iso } from '../../../kernel/instant.js';
import type { WaitingForView } from '../posts/publication.view.js';
import type { LongestWaitView, WaitingPublicationView } from './overview.view.js';
import { MOST_WAITING, type OverviewFacts } from './overview-facts.js';

/** Number of entries reserved for the publications that have waited longest. */
const LONGEST = 3;
/** Rules that hold publications until a person acts or, for `quota`, until the next month. */
const NEEDS_PERSON: ReadonlySet<WaitingForView['rule']> = new Set(['needs_attention', 'quota', 'restored']);

/** Chooses the publications to show: mostly the next ones due, plus a few that have waited longest. */
export const chooseWaiting = (next: readonly string[], longest: readonly string[]): string[] => {
  const chosen = new Set(next.slice(0, MOST_WAITING - LONGEST));
  for (const id of [...longest.slice(0, LONGEST), ...next, ...longest]) if (chosen.size < MOST_WAITING) chosen.add(id);
  return [...chosen];
};

/** Builds the views of waiting publications, in the order in which they are expected to be published. */
export const buildWaiting = ({ waiting, details, views, excerpts, times }: OverviewFacts): WaitingPublicationView[] => {
  const shown = waiting.flatMap((id) => {
    const [view, found] = [views.get(id), details.get(id)];
    if (!view || !found) return [];
    const channel = { id: view.target_id, name: found.channel_name };
    return [{ ...view, excerpt: excerpts.get(view.post_id) ?? null, accepted_at: iso(found.accepted_at), channel }];
  });
  return shown.toSorted((a, b) => compare(goesAt(a, times.now), goesAt(b, times.now)) || compareAge(a, b));
};

/** Builds the list of owners whose publications have waited longest; null unless all owners are shown. */
export const buildLongest = ({ waitingOwners, views }: OverviewFacts): LongestWaitView[] | null =>
  waitingOwners &&
  waitingOwners.map(({ owner_id, owner_name, publication_id, platform, posts, oldest_at }) => ({
    owner_id,
    owner_name,
    platform,
    posts,
    oldest_at: iso(oldest_at),
    rule: views.get(publication_id)?.waiting_for?.rule ?? null,
  }));

/**
 * Returns when a publication is expected to go out: now if unknown, `Infinity` if a {@link NEEDS_PERSON} rule holds it.
 */
const goesAt = ({ waiting_for }: WaitingPublicationView, now: Instant): Instant => {
  if (waiting_for && NEEDS_PERSON.has(waiting_for.rule)) return Infinity;
  const until = waiting_for?.until ?? null;
  return until === null ? now : Date.parse(until);
};

const compareAge = (a: WaitingPublicationView, b: WaitingPublicationView): number =>
  compare(a.accepted_at, b.accepted_at) || (a.sequence ?? 0) - (b.sequence ?? 0);

const compare = <T extends string | number>(a: T, b: T): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
