import { reject, type Rejection } from '../kernel/result.js';
import type { Audience } from '../payload/content-layers.js';
import type { ContentTarget } from '../payload/overrides.js';
import type { EndpointSnapshot, SnapshotProject } from '../projections/discovery/endpoint-snapshots.queries.js';
import { COMMAND_MESSAGES } from './messages.js';

/** An endpoint's projects, and the channels in them that a request addresses, without duplicates. */
export interface ResolvedTargets {
  readonly projectIds: readonly string[];
  readonly channelIds: readonly string[];
}

interface AllTargets extends ResolvedTargets {
  readonly known: ReadonlySet<string>;
  /** The same channels, with their networks. */
  readonly targets: readonly ContentTarget[];
}

const allByProjects = new WeakMap<readonly SnapshotProject[], AllTargets>();

/** Returns all targets of an endpoint; computed once per endpoint snapshot, because most posts address all targets. */
export const listAllTargets = (projects: readonly SnapshotProject[]): AllTargets => {
  let all = allByProjects.get(projects);
  if (!all) {
    const projectIds = projects.map(({ project_id }) => project_id);
    const platforms = new Map(
      projects.flatMap(({ channels }) => channels.map(({ channel_id, platform }) => [channel_id, platform] as const)),
    );
    const targets = Array.from(platforms, ([channelId, platform]) => ({ channelId, platform }));
    const channelIds = [...platforms.keys()];
    allByProjects.set(projects, (all = { projectIds, channelIds, known: new Set(channelIds), targets }));
  }
  return all;
};

/**
 * Resolves the targets listed in a request (publish-api.md: temp-pause, 2; POST /v1/webhooks/{slug}, 1).
 * @param named public ids of targets; an empty list means all. Ids that are not targets of the endpoint are ignored; if
 * none is a target, the request is rejected with `invalid_targets`.
 */
export const resolveTargets = (
  projects: readonly SnapshotProject[],
  named: readonly string[],
): ResolvedTargets | Rejection<'invalid_targets'> => {
  const all = listAllTargets(projects);
  if (named.length === 0) return all;
  const channelIds = named.filter((id) => all.known.has(id));
  if (channelIds.length > 0) return { projectIds: all.projectIds, channelIds };
  return reject('invalid_targets', COMMAND_MESSAGES.noTarget);
};

/** Returns the networks and targets for which posts to an endpoint may have overrides (D-61). */
export const audienceOf = ({ projects }: EndpointSnapshot, platforms: readonly string[]): Audience => ({
  platforms,
  targets: listAllTargets(projects).targets,
});
