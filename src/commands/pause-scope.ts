import { reject, type Rejection } from '../kernel/result.js';
import type { AccessProject } from '../projections/discovery/endpoint-access.queries.js';
import type { Done } from './done.js';

/** The projects of an endpoint, and the channels of them that a pause or its end is meant for; each once. */
export interface PauseTargetIds {
  readonly projectIds: readonly string[];
  readonly channelIds: readonly string[];
}

/** What temp-pause and temp-resume came to, as they are answered (D-21, D-45). */
export interface PausesMoved extends Done {
  readonly projectsAffected: number;
  /** Channels. */
  readonly resourcesAffected: number;
  /** Publications whose earliest time moved. */
  readonly rescheduled: number;
}

/**
 * Which of an endpoint's projects and channels are meant (spec: temp-pause, 2).
 * @param named public ids of targets; none means all. Ids that are no targets of the endpoint are passed over, as long
 * as one is; `invalid_targets` where none is.
 */
export const pauseTargetIds = (
  projects: readonly AccessProject[],
  named: readonly string[],
): PauseTargetIds | Rejection<'invalid_targets'> => {
  const projectIds = projects.map(({ project_id }) => project_id);
  const all = new Set(projects.flatMap(({ channels }) => channels.map(({ channel_id }) => channel_id)));
  if (named.length === 0) return { projectIds, channelIds: [...all] };
  const channelIds = named.filter((id) => all.has(id));
  return channelIds.length > 0
    ? { projectIds, channelIds }
    : reject('invalid_targets', 'None of these ids is a target.');
};
