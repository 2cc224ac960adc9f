import { type Publication, type ShownState, shownState } from './shown-state.js';

/** States, worst first. */
export const SEVERITY: readonly ShownState[] = [
  'in_doubt',
  'failed',
  'on_hold',
  'needs_approval',
  'retrying',
  'slowed',
  'paused',
  'waiting',
  'planned',
  'publishing',
  'filtered',
  'dismissed',
  'published',
];

/** Returns the worst state of a list of publications; null if the list is empty. */
export const worstOf = (publications: readonly Pick<Publication, 'state' | 'waiting_for'>[]): ShownState | null => {
  const states = new Set(publications.map(shownState));
  return SEVERITY.find((state) => states.has(state)) ?? null;
};
