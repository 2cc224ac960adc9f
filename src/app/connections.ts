import type { Settings } from '../config/settings.js';

/** Numbers of connections to PostgreSQL that the parts of a process may hold. */
export interface Connections {
  /** Total, including those not listed here: DATABASE_POOL. */
  readonly total: number;
  /** Pool for queries; at least 1. */
  readonly queries: number;
  /** Pool that reads events; 0 if they are in KurrentDB. */
  readonly events: number;
  /** Pool for the projections; 0 in a process without them, or if they share the pool for queries. */
  readonly projections: number;
  /** Pool for readiness and metrics; 0 if there are so few connections that they share the pool for queries. */
  readonly health: number;
}

const MOST_QUERIES = 12;
/** The event store reads only a few batches at a time, whatever the load. */
const MOST_EVENTS = 4;
/** One for each projection. */
const MOST_PROJECTIONS = 4;
/** One for /readyz and one for /metrics, so that they do not wait for requests, nor requests for them. */
const MOST_HEALTH = 2;
/** Number of connections for queries below which health checks share them. */
const FEWEST_QUERIES = 2;

/**
 * Divides DATABASE_POOL among the parts of a process (ADR-94). Connections that hold a session are counted first: the
 * one that listens for notifications; the one that appends events; a worker's presence; the one that follows the log
 * for a worker. The rest is divided in the proportions of the default. A worker with six has a single connection for
 * queries and projections.
 */
export const divideConnections = ({
  databasePool,
  roles,
  eventStoreUrl,
}: Pick<Settings, 'databasePool' | 'roles' | 'eventStoreUrl'>): Connections => {
  const isWorker = roles.has('worker');
  const hasEvents = eventStoreUrl === null;
  const sessions = 1 + (isWorker ? 1 : 0) + (hasEvents ? 1 : 0) + (hasEvents && isWorker ? 1 : 0);
  const most = { events: hasEvents ? MOST_EVENTS : 0, projections: isWorker ? MOST_PROJECTIONS : 0 };
  const shared = MOST_QUERIES + most.events + most.projections + MOST_HEALTH;
  const total = databasePool ?? sessions + shared;
  const rest = total - sessions;
  const partOf = (size: number): number => Math.min(size, Math.floor((rest * size) / shared));
  const events = hasEvents ? Math.max(1, partOf(most.events)) : 0;
  const projections = rest - events >= 2 && isWorker ? Math.max(1, partOf(most.projections)) : 0;
  const left = rest - events - projections;
  const health = left > FEWEST_QUERIES ? Math.max(1, partOf(MOST_HEALTH)) : 0;
  return { total, queries: left - health, events, projections, health };
};
