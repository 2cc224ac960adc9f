import type { Settings } from '../config/settings.js';

/** How many PostgreSQL connections each part of a process may hold. */
export interface Connections {
  /** Total, including connections not listed here (DATABASE_POOL). */
  readonly total: number;
  /** Pool for queries; at least 1. */
  readonly queries: number;
  /** Pool for reading events; 0 if KurrentDB stores them. */
  readonly events: number;
  /** Pool for the projections; 0 if the process runs none or they share the query pool. */
  readonly projections: number;
  /** Pool for readiness and metrics; 0 if they share the query pool. */
  readonly health: number;
}

const MOST_QUERIES = 12;
/** The event store reads only a few batches at a time, whatever the load. */
const MOST_EVENTS = 4;
/** Fewer than the number of projections, because each holds a connection only during a transaction. */
const MOST_PROJECTIONS = 4;
/** One for /readyz and one for /metrics: health checks and requests never wait for each other. */
const MOST_HEALTH = 2;
/** Minimum size of the query pool if health checks have their own pool; otherwise they share the query pool. */
const FEWEST_QUERIES = 2;

/**
 * Divides DATABASE_POOL among the parts of a process (ADR-94). First sets aside the connections that hold a session:
 * one listens for notifications, and a worker has one for its presence. If PostgreSQL stores the events, one appends
 * them, and a worker has one more to follow the log. Divides the rest in the default proportions. If PostgreSQL stores
 * the events, a worker with six connections uses a single connection for queries and projections.
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
