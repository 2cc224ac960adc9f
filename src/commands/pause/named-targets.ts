import { reject, type Rejection } from '../../kernel/result.js';
import type { AccessProject } from '../../projections/discovery/endpoint-access.queries.js';

/** An endpoint's projects, and those of their channels that a request is meant for; each once. */
export interface NamedTargets {
  readonly projectIds: readonly string[];
  readonly channelIds: readonly string[];
}

const everything = new WeakMap<readonly AccessProject[], NamedTargets>();

/** All targets of an endpoint; worked out once for each picture of it, for most posts are meant for all. */
export const allTargets = (projects: readonly AccessProject[]): NamedTargets => {
  let all = everything.get(projects);
  if (!all) {
    const projectIds = projects.map(({ project_id }) => project_id);
    const channelIds = projects.flatMap(({ channels }) => channels.map(({ channel_id }) => channel_id));
    everything.set(projects, (all = { projectIds, channelIds: [...new Set(channelIds)] }));
  }
  return all;
};

/**
 * Which of an endpoint's channels a request means (publish-api.md: temp-pause, 2; POST /v1/webhooks/{slug}, 1).
 * @param named public ids of targets; none means all. Ids that are no targets of the endpoint are passed over, as long
 * as one is; `invalid_targets` where none is.
 */
export const namedTargets = (
  projects: readonly AccessProject[],
  named: readonly string[],
): NamedTargets | Rejection<'invalid_targets'> => {
  const all = allTargets(projects);
  if (named.length === 0) return all;
  const channelIds = named.filter((id) => all.channelIds.includes(id));
  if (channelIds.length > 0) return { projectIds: all.projectIds, channelIds };
  return reject('invalid_targets', 'None of these ids is a target of this endpoint: ask GET …/info for the ids.');
};
