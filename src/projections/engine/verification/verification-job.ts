import type { JobHandler } from '../../../jobs/job.js';
import type { Json } from '../../../kernel/json.js';
import type { Projection } from '../projection.js';
import { VERIFY_PROJECTION } from '../projection-status.queries.js';
import type { ReplayDependencies } from './replay.js';
import { verifyProjection } from './verify-projection.js';

/**
 * Creates the verification job handler. An interrupted verification restarts under the same job, which is safe because
 * it writes only to its own tables.
 */
export const createProjectionVerification = (
  deps: ReplayDependencies,
  projections: readonly Projection[],
): JobHandler => ({
  kind: VERIFY_PROJECTION,
  run: async ({ params }, context) => {
    const projection = projections.find(({ name }) => name === params.projection);
    if (!projection) throw new Error(`this program has no projection ${JSON.stringify(params.projection)}`);
    return (await verifyProjection(deps, projection, context)) as unknown as Json;
  },
});
