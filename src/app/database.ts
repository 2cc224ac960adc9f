import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { SETTING_MESSAGES } from '../config/messages.js';
import { maskUrl } from '../config/redact.js';
import type { Settings } from '../config/settings.js';
import { StorageFailed, Unavailable } from '../event-store/port.js';
import { reasonOf } from '../kernel/result.js';
import { startEmbeddedPostgres } from '../postgres/embedded.js';
import { migrate, MigrationError } from '../postgres/migrations.js';
import { migrations } from '../postgres/migrations/all.js';
import { createPool } from '../postgres/pool.js';
import { checkServer, UnfitServer } from '../postgres/server-check.js';
import { isUnavailable } from '../postgres/unavailable.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import { ContentKeyTable } from '../secrets/content-keys.js';
import { claimDatabase, WrongSecretsKey } from '../secrets/database-keys.js';
import type { HistoryKeys, KeyRing } from '../secrets/key-ring.js';
import { DATABASE_ADVICE, START_MESSAGES } from './messages.js';
import type { ProcessOptions, Resources } from './process-options.js';

/** PgBouncer gives most of its errors this code, even temporary ones, so the advice depends on the message. */
const PROTOCOL_VIOLATION = '08P01';

const BY_STATE: Readonly<Record<string, string>> = {
  '28P01': DATABASE_ADVICE.password({ encoding: SETTING_MESSAGES.encodePassword }),
  '28000': DATABASE_ADVICE.notAllowed,
  '3D000': DATABASE_ADVICE.noDatabase,
  '42501': DATABASE_ADVICE.noRights,
};

const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/unsupported startup parameter/, DATABASE_ADVICE.bouncerParameters],
  [/transaction blocks not allowed in statement pooling mode/, DATABASE_ADVICE.bouncerStatementMode],
  [
    /no such (database|user)|authentication failed/,
    DATABASE_ADVICE.bouncerUser({ encoding: SETTING_MESSAGES.encodePassword }),
  ],
];

/** Returns the statement that lets a role connect, with the names from the error and DATABASE_URL (D-54). */
const grantConnect = (message: string, url: string): string => {
  const database = /permission denied for database "(.+)"/.exec(message)?.[1] ?? '<the database>';
  const role = URL.canParse(url) ? decodeURIComponent(new URL(url).username) : '';
  return DATABASE_ADVICE.grantConnect({
    database: quoteName(database),
    role: role === '' ? '<the role>' : quoteName(role),
  });
};

/** Quotes a name for SQL if necessary. */
const quoteName = (name: string): string =>
  /^([a-z_][a-z0-9_]*|<.*>)$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

/**
 * Returns a sentence that explains how to fix a permanent refusal by PostgreSQL or a pooler in front of it; null if the
 * error needs no explanation or is temporary (D-54).
 * @param url DATABASE_URL
 */
export const adviseOnRefusal = (error: unknown, url = ''): string | null => {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (/client password must be a string/.test(message)) return DATABASE_ADVICE.noPassword;
  if (/^permission denied for database/.test(message)) return grantConnect(message, url);
  if (code !== PROTOCOL_VIOLATION) return BY_STATE[code] ?? null;
  return BY_MESSAGE.find(([form]) => form.test(message))?.[1] ?? null;
};

interface RequiredServer {
  /** Human-readable name: `a database`. */
  readonly what: string;
  /**
   * The setting that contains the server's address, and its value; null if the address does not come from a setting.
   */
  readonly from: ReturnType<typeof addressFrom>;
  readonly log: Logger;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
}

/** Returns the setting that contains a server's address; null if it is not set. */
export const addressFrom = (
  setting: 'DATABASE_URL' | 'EVENT_STORE_URL',
  url: string | null,
): { readonly setting: typeof setting; readonly url: string } | null => (url === null ? null : { setting, url });

const PAUSE_MS = 1_000;

/**
 * Retries until the server responds, because all servers of a deployment may start at the same time. Returns the result
 * of the successful attempt.
 * @throws Error with a sentence that names the setting if the server rejects it: a wrong password, a missing database,
 * TLS that the server does not support
 */
export const waitForServer = async <T>(
  { what, from, log, signal }: RequiredServer,
  attempt: () => Promise<T>,
): Promise<T> => {
  const failure = new RepeatedFailure();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!isTemporary(error)) throw describeRejection(error, what, from);
      // KurrentDB's client reports only `UnavailableError`, so the log line includes the address.
      const where = from && { setting: from.setting, address: maskUrl(from.url) };
      failure.warn(log, (error as Error).cause ?? error, `waiting for ${what}`, where ?? {});
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
};

/** True if the next attempt may succeed. The event store's errors wrap PostgreSQL's permanent refusals. */
const isTemporary = (error: unknown): boolean => {
  const { cause } = error as Error;
  if (error instanceof StorageFailed && !isServerError(cause)) return false;
  if (error instanceof Unavailable) return !isServerError(cause) || isTemporary(cause);
  return isUnavailable(error) && adviseOnRefusal(error) === null;
};

/** True for an error that a PostgreSQL server, or a pooler in front of it, sent. */
const isServerError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'severity' in error && 'code' in error;

/**
 * Returns an error that names the setting and quotes the server or its client. An error whose message already is a
 * sentence, or an error without a setting, is returned unchanged.
 */
const describeRejection = (error: unknown, what: string, from: RequiredServer['from']): unknown => {
  if (from === null || SENTENCES.some((type) => error instanceof type)) return error;
  const refusal = error instanceof Unavailable && isServerError(error.cause) ? error.cause : error;
  const reason = reasonOf(refusal).replaceAll(from.url, maskUrl(from.url));
  const advice = from.setting === 'DATABASE_URL' ? adviseOnRefusal(refusal, from.url) : null;
  const problem = START_MESSAGES.unusableServer({ setting: from.setting, what, reason });
  const sentence = advice === null ? problem : START_MESSAGES.unusableServerAdvice({ problem, advice });
  return new Error(sentence, { cause: error });
};

/** Errors whose message is a human-readable sentence. */
const SENTENCES = [MigrationError, UnfitServer, WrongSecretsKey];

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

/** The database of a process, with all migrations applied. */
export class Database {
  constructor(
    readonly connectionString: string,
    /** For queries. */
    readonly pool: Pool,
    readonly connections: Connections,
    readonly historyKeys: HistoryKeys,
    readonly contentKeys: ContentKeyTable,
  ) {}
}

/** Returns how long a projection's transaction may be idle before the server ends it to release its locks, in ms. */
export const longestIdleTransaction = ({ leaseMs }: Pick<Settings, 'leaseMs'>): number => Math.max(2_000, leaseMs / 2);

/**
 * Opens the database at DATABASE_URL, or an embedded PostgreSQL below DATA_DIR that no other process may use. Waits
 * until the server responds, and logs that it is waiting.
 * @throws Error with a human-readable message if the database cannot be used with these settings (D-54): a wrong
 * password, a pooler in transaction mode, missing rights, too few connections, another database's SECRETS_KEY, a newer
 * schema
 */
export const openDatabase = async (
  { settings, log, signal }: ProcessOptions,
  ring: KeyRing,
  resources: Resources,
): Promise<Database> => {
  const openEmbedded = () =>
    resources.open(
      () => startEmbeddedPostgres({ dataDir: settings.dataDir, logger: log }),
      (opened) => opened.stop(),
    );
  const connectionString = settings.databaseUrl ?? (await openEmbedded()).connectionString;
  const connections = divideConnections(settings);
  const pool = createPool(connectionString, {
    max: connections.queries,
    applicationName: 'crosspost queries',
    logger: log,
    ...(connections.projections === 0 && { idleInTransactionMs: longestIdleTransaction(settings) }),
  });
  await resources.add(() => pool.end());
  const from = addressFrom('DATABASE_URL', settings.databaseUrl);
  const requirements = { connections: connections.total, isChosen: settings.databasePool !== null, log };
  const historyKeys = await waitForServer(
    { what: 'a database', from, log, signal: resources.untilStopped(signal) },
    async () => {
      await checkServer(connectionString, requirements);
      await migrate(connectionString, migrations, log);
      return claimDatabase(pool, ring);
    },
  );
  return new Database(connectionString, pool, connections, historyKeys, new ContentKeyTable(pool, ring));
};
