import type { Api } from '../api/management.js';

/** The publication as the API shows it. */
export type Publication = Api<'Publication'>;

/** A state as people see it: the API's state and, for a planned or queued publication, the reason why it waits. */
export type ShownState =
  | 'published'
  | 'publishing'
  | 'planned'
  | 'needs_approval'
  | 'waiting'
  | 'paused'
  | 'slowed'
  | 'retrying'
  | 'in_doubt'
  | 'on_hold'
  | 'failed'
  | 'filtered'
  | 'dismissed';

const BY_RULE: Readonly<Record<string, ShownState>> = {
  project_pause: 'paused',
  channel_pause: 'paused',
  platform_limit: 'slowed',
  pace: 'slowed',
  retry: 'retrying',
  needs_attention: 'on_hold',
  quota: 'on_hold',
};

/** Returns the state of a publication as people see it. */
export const shownState = ({
  state,
  waiting_for: waitingFor,
}: Pick<Publication, 'state' | 'waiting_for'>): ShownState => {
  if (state === 'planned') return waitingFor?.rule === 'approval' ? 'needs_approval' : 'planned';
  if (state !== 'queued') return state;
  return BY_RULE[waitingFor?.rule ?? ''] ?? 'waiting';
};

/** Rules that only a person can end. */
const PERSON_RULES: ReadonlySet<string> = new Set(['needs_attention', 'quota', 'approval']);

/** Returns whether a publication waits for a person, so that no countdown can be given. */
export const needsPerson = ({ state, waiting_for: waitingFor }: Pick<Publication, 'state' | 'waiting_for'>): boolean =>
  state === 'in_doubt' || PERSON_RULES.has(waitingFor?.rule ?? '');
