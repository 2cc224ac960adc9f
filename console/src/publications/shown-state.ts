import type { Api } from '../api/management.js';

/** The publication as the API shows it. */
export type Publication = Api<'Publication'>;

/** A state as people see it: that of the API, and for a queued publication the reason why it waits. */
export type ShownState =
  | 'published'
  | 'publishing'
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
  if (state !== 'queued') return state;
  return BY_RULE[waitingFor?.rule ?? ''] ?? 'waiting';
};

/** Returns whether a publication waits for a person, so that no countdown can be given. */
export const needsPerson = ({ state, waiting_for: waitingFor }: Pick<Publication, 'state' | 'waiting_for'>): boolean =>
  state === 'in_doubt' || waitingFor?.rule === 'needs_attention' || waitingFor?.rule === 'quota';
