import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isDiscoveryBuilt } from '../projections/discovery/endpoint-snapshots.queries.js';

const PAUSE_MS = 20;
/** Maximum wait, in ms. A process with a long history starts serving requests before it has read all events. */
const LIMIT_MS = 10_000;

/**
 * Waits until `discovery` has reached the end of the log once, for at most ten seconds, so that the first requests do
 * not get a 503.
 * @param signal ends the wait
 */
export const waitUntilBuilt = async (pool: Pool, signal: AbortSignal | undefined): Promise<void> => {
  const end = performance.now() + LIMIT_MS;
  while (!signal?.aborted && performance.now() < end) {
    // A database outage must not fail the start; /readyz reports it.
    if (await isDiscoveryBuilt(pool).catch(() => false)) return;
    await sleep(PAUSE_MS);
  }
};
