import type { Format } from '../../i18n/format.js';
import { SEVERITY } from '../../publications/severity.js';
import { type Publication, type ShownState, shownState } from '../../publications/shown-state.js';
import type { Page } from './post-list.js';

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

/** How many publications were counted, and whether there may be more. */
export interface Count {
  readonly count: number;
  readonly isMore: boolean;
}

/** Counts the publications in a state on a page of posts; undefined while the page is loading. */
export const countInState = (page: Page | undefined, state: Publication['state']): Count | undefined =>
  page && {
    count: page.items.flatMap(({ publications }) => publications).filter((each) => each.state === state).length,
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
