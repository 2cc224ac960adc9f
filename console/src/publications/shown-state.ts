import type { Api } from '../api/management.js';

/** The publication as the API shows it. */
export type Publication = Api<'Publication'>;

/** The reason why a publication waits. */
export type WaitRule = Api<'WaitingFor'>['rule'];

/**
 * A state as the console shows it: the API's state and, for a planned or queued publication, the reason why it waits.
 */
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

const BY_RULE: Readonly<Record<WaitRule, ShownState>> = {
  scheduled: 'planned',
  approval: 'needs_approval',
  project_pause: 'paused',
  channel_pause: 'paused',
  backlog_spacing: 'waiting',
  earlier_publication: 'waiting',
  retry: 'retrying',
  platform_limit: 'slowed',
  pace: 'slowed',
  share: 'waiting',
  needs_attention: 'on_hold',
  quota: 'on_hold',
};

/** Returns the state of a publication as the console shows it. */
export const shownState = ({
  state,
  waiting_for: waitingFor,
}: Pick<Publication, 'state' | 'waiting_for'>): ShownState => {
  if (state !== 'planned' && state !== 'queued') return state;
  if (waitingFor) return BY_RULE[waitingFor.rule];
  return state === 'planned' ? 'planned' : 'waiting';
};

/** Returns whether a wait under this rule needs a person. A wait for quota does, although a new month also ends it. */
export const isEndedByPerson = (rule: WaitRule): boolean => {
  const state = BY_RULE[rule];
  return state === 'on_hold' || state === 'needs_approval';
};

/** Returns whether a publication waits for a person, in which case no countdown is shown. */
export const needsPerson = ({ state, waiting_for: waitingFor }: Pick<Publication, 'state' | 'waiting_for'>): boolean =>
  state === 'in_doubt' || (!!waitingFor && isEndedByPerson(waitingFor.rule));
