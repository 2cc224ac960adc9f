import { listAllTargets } from '../../commands/resolve-targets.js';
import type { Audience } from '../../payload/content-layers.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';

/** Returns the networks and targets for which posts to an endpoint may have overrides (D-61). */
export const audienceOf = ({ projects }: EndpointSnapshot, platforms: readonly string[]): Audience => ({
  platforms,
  targets: listAllTargets(projects).targets,
});
