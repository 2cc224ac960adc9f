import { causeOf, waitsForPerson } from '../../publications/describe-waiting.js';
import type { Post } from '../../publications/posts.js';
import { SEVERITY } from '../../publications/severity.js';
import { type Publication, type ShownState, shownState } from '../../publications/shown-state.js';

/** A publication on its channel's lane. */
export interface Mark {
  /**
   * When the publication was published, was last attempted or will be published; otherwise when the post was accepted.
   * In ms since 1970.
   */
  readonly at: number;
  readonly state: ShownState;
  readonly publication: Publication;
  readonly post: Post;
}

/** Marks that are too close together to be drawn separately. */
export interface MarkGroup {
  /** Time of the earliest mark. */
  readonly at: number;
  /** The worst state among the marks. */
  readonly state: ShownState;
  /**
   * Number of marks to show. Counts all marks if each is being published, published, filtered or dismissed; otherwise,
   * counts only the marks in the worst state.
   */
  readonly count: number;
  /** The marks, worst state first. */
  readonly marks: readonly Mark[];
}

const MINUTE = 60_000;

/** Returns where a publication goes on its lane, in ms since 1970, regardless of its position in a backlog. */
const markTime = (publication: Publication, acceptedAt: number, now: number): number => {
  const { state, published_at: publishedAt, attempts, waiting_for: waitingFor } = publication;
  const attempt = attempts.at(-1);
  switch (state) {
    case 'published':
      return Date.parse(publishedAt ?? attempt?.started_at ?? '') || acceptedAt;
    case 'publishing':
      return Date.parse(attempt?.started_at ?? '') || acceptedAt;
    case 'failed':
    case 'in_doubt':
      return Date.parse(attempt?.ended_at ?? attempt?.started_at ?? '') || acceptedAt;
    case 'filtered':
    case 'dismissed':
      return acceptedAt;
    case 'planned':
    case 'queued':
      if (waitsForPerson(publication)) return acceptedAt;
      return waitingFor?.until ? Math.max(now, Date.parse(waitingFor.until)) : acceptedAt;
  }
};

const isHeldByPause = (publication: Publication): boolean => {
  const cause = causeOf(publication);
  return publication.state === 'queued' && (cause === 'channel_pause' || cause === 'project_pause');
};

/**
 * Returns the marks of each channel, earliest first. Publications held back by a pause are shown one minute apart,
 * because after the pause, one is published per minute.
 * @param matches selects the publications to show
 */
export const marksByChannel = (
  posts: Iterable<Post>,
  now: number,
  matches: (publication: Publication) => boolean,
): ReadonlyMap<string, readonly Mark[]> => {
  const lanes = new Map<string, Mark[]>();
  for (const post of posts) {
    const acceptedAt = Date.parse(post.accepted_at);
    for (const publication of post.publications) {
      if (!matches(publication)) continue;
      const mark = { at: markTime(publication, acceptedAt, now), state: shownState(publication), publication, post };
      const lane = lanes.get(publication.target_id);
      if (lane) lane.push(mark);
      else lanes.set(publication.target_id, [mark]);
    }
  }
  for (const [channel, marks] of lanes) lanes.set(channel, spaceBacklog(marks));
  return lanes;
};

const spaceBacklog = (marks: readonly Mark[]): Mark[] => {
  const held = marks
    .filter(({ publication }) => isHeldByPause(publication))
    .sort((a, b) => (a.publication.sequence ?? 0) - (b.publication.sequence ?? 0));
  const places = new Map(held.map(({ publication }, place) => [publication.id, place]));
  return marks
    .map((mark) => ({ ...mark, at: mark.at + (places.get(mark.publication.id) ?? 0) * MINUTE }))
    .sort((a, b) => a.at - b.at);
};

/** Merges marks that are less than `distance` ms after the first mark of their group. @param marks earliest first */
export const mergeMarks = (marks: readonly Mark[], distance: number): readonly MarkGroup[] => {
  const groups: Mark[][] = [];
  for (const mark of marks) {
    const group = groups.at(-1);
    if (group?.[0] && mark.at - group[0].at < distance) group.push(mark);
    else groups.push([mark]);
  }
  return groups.map(toGroup);
};

const QUIET: ReadonlySet<ShownState> = new Set(['publishing', 'filtered', 'dismissed', 'published']);

const toGroup = (marks: readonly Mark[]): MarkGroup => {
  const sorted = marks.toSorted((a, b) => SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state) || b.at - a.at);
  const state = sorted[0]?.state ?? 'published';
  const count = QUIET.has(state) ? marks.length : marks.filter((mark) => mark.state === state).length;
  return { at: marks[0]?.at ?? 0, state, count, marks: sorted };
};
