import type { Api } from '../api/management.js';

/** A publication, as returned by the API. */
export type Publication = Api<'Publication'>;

/** Why a publication is waiting. */
export type WaitRule = NonNullable<Api<'WaitingFor'>['rule']>;

/**
 * A state as the console shows it: the API's state and, for a planned or queued publication, the reason it is waiting.
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
  restored: 'on_hold',
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
  if (waitingFor?.rule) return BY_RULE[waitingFor.rule];
  return state === 'planned' ? 'planned' : 'waiting';
};

/**
 * Returns whether a wait under this rule needs someone to act. True for the quota, although a new month also ends that
 * wait.
 */
export const isEndedByPerson = (rule: WaitRule | null): boolean => {
  const state = rule && BY_RULE[rule];
  return state === 'on_hold' || state === 'needs_approval';
};

/** Returns whether a publication is waiting for someone to act, in which case no countdown is shown. */
export const needsPerson = ({ state, waiting_for: waitingFor }: Pick<Publication, 'state' | 'waiting_for'>): boolean =>
  state === 'in_doubt' || (!!waitingFor && isEndedByPerson(waitingFor.rule));
