import { listAllTargets } from '../../commands/resolve-targets.js';
import type { Audience } from '../../payload/content-layers.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';

/**
 * Returns the networks and targets that a post to an endpoint may have overrides for (D-61).
 * @param platforms ids of all networks
 */
export const audienceOf = ({ projects }: EndpointSnapshot, platforms: readonly string[]): Audience => ({
  platforms,
  targets: listAllTargets(projects).targets,
});
