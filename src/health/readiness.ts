import type { Pool } from 'pg';
import type { StoreConnection } from '../event-store/checked-event-store.js';
import type { EventStore, Position } from '../event-store/port.js';
import { checkEventStore } from '../event-store/store-check.js';
import type { Instant } from '../kernel/clock.js';
import { reasonOf } from '../kernel/result.js';
import type { HelperReport } from '../media/helper.js';
import { CountHeld } from '../projections/publish-schedule/holds.queries.js';
import type { WorkFailure } from '../runtime/failing-work.js';
import { SharedResult } from '../runtime/shared-result.js';
import { withTimeLimit } from '../runtime/sleep.js';
import { HANDLED_POSITION, isStoppedAt } from '../sagas/engine/saga-status.queries.js';
import { READINESS_MESSAGES } from './messages.js';
import { type ClockDifference, type EventTimes, isTooFarApart, type MeasuredDifference } from './times.js';

/** The history's transparency log, as shown in /readyz. */
export interface HistoryReport {
  /** Name of the current log; null before its first checkpoint. */
  readonly origin: string | null;
  readonly size: number;
  /** Logs that ended because they could not be continued (ADR-213), in order. */
  readonly ended: readonly {
    readonly origin: string;
    readonly size: number;
    readonly ended_at: string;
    readonly reason: string;
  }[];
}

/** Reads the history's current log and its ended logs. */
export const readHistory = async (pool: Pick<Pool, 'query'>): Promise<HistoryReport> => {
  const { rows } = await pool.query<HistoryReport>(
    `select l.origin, coalesce(l.size, 0)::float8 as size,
       coalesce((select json_agg(json_build_object('origin', e.origin, 'size', split_part(e.checkpoint, E'\\n', 2)::int8,
         'ended_at', to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', e.reason) order by e.number)
         from ops_history_ended_log e), '[]') as ended
     from (values (1)) one left join ops_history_log l on true`,
  );
  const { origin, size, ended } = rows[0]!;
  return { origin, size, ended };
};

/** Maximum wait for one dependency, in ms. */
const CHECK_MS = 3_000;
/** How long a report is reused, in ms. */
const KEPT_MS = 1_000;
/** A read model counts as far behind if its next event is older than this, in ms. */
const FAR_BEHIND_MS = 60_000;
/** The read model that every request needs. */
const REQUIRED = 'discovery';

/** A problem that does not keep the process from serving requests. */
export interface Degradation {
  readonly name: string;
  readonly reason: string;
}

/** The event store, as shown in /readyz. */
interface StoreReport {
  /** Identity of the event store that was last checked (ADR-124). */
  readonly id: string | null;
  /** Position of the newest event; null while it is unknown. */
  readonly position: string | null;
  /** How many positions each live read model is behind the newest event. */
  readonly lag: Readonly<Record<string, number>>;
  /** Count since the process started. */
  readonly dropped_subscriptions: number;
  readonly lost_connections: number;
}

/** The response of /readyz (management-api.md: The rest). */
export interface ReadinessReport {
  /** True if all checks are `ok`. */
  readonly ok: boolean;
  /** For each dependency, `ok` or the reason why it cannot be used. */
  readonly checks: Readonly<Record<'database' | 'event_store' | typeof REQUIRED, string>>;
  /**
   * Read models that are stopped or far behind, sagas that are stuck on an event, work that keeps failing, a wrong
   * clock, unreadable secrets, a store of uploaded files that takes none, files of archived history that are missing
   * or unknown, posts that are held after a restore. Requests are still served.
   */
  readonly degraded: readonly Degradation[];
  readonly event_store: StoreReport;
  /** Isolation of the helper processes, which parse untrusted files; null until it has been checked. */
  readonly helpers: HelperReport | null;
  /** Null while the database is not responding. */
  readonly history: HistoryReport | null;
}

/** Sources of a {@link ReadinessReport}. */
export interface ReadinessSources {
  /** Used only for health checks, so that a busy shared pool does not look like an outage. */
  readonly pool: Pick<Pool, 'query'>;
  readonly store: Pick<EventStore, 'appendFailure'>;
  readonly eventTimes: Pick<EventTimes, 'readAfter'>;
  readonly connection: () => StoreConnection;
  readonly storeHead: Pick<SharedResult<Position>, 'get'>;
  /** Lists the work of this process that keeps failing. */
  readonly failingWork: () => readonly WorkFailure[];
  readonly clock: Pick<ClockDifference, 'read'>;
  /** Returns a message about stored secrets that cannot be read; null if none are known. */
  readonly secrets: () => Promise<string | null>;
  /** Returns why the store of uploaded files takes none; null if it does. */
  readonly mediaStore: () => Promise<string | null>;
  /** Returns what is wrong with the files of archived history; null if nothing is known to be. */
  readonly archive: () => string | null;
  /** Returns the isolation of helper processes; null while it is unknown. */
  readonly helpers: () => HelperReport | null;
  /** Returns the planned posts that this process cannot release; null if there are none. */
  readonly setAside: () => { readonly count: number; readonly postId: string; readonly reason: string } | null;
}

interface LiveProjection {
  readonly name: string;
  readonly position: Position;
  readonly error: string | null;
  /** False until it has reached the end of the log once. */
  readonly level: boolean;
}

/** A saga whose last attempt at an event failed. */
interface FailingSaga {
  /** `saga/<name>` */
  readonly name: string;
  readonly position: Position;
  /** The event and its error. */
  readonly error: string;
  /** The event, with its time; null if the saga fails without an event. `at` is null if the event cannot be read. */
  readonly failure: { readonly at: Instant | null } | null;
}

/**
 * Checks whether the process can do its work. However many clients ask, each dependency is checked at most once a
 * second, with at most one pending call.
 */
export class Readiness {
  private readonly report = new SharedResult(() => this.check(), KEPT_MS);
  private readonly projections = new SharedResult(() => this.readProjections(), 0);
  private readonly behind = new SharedResult(() => this.findBehind(), 0);
  private readonly sagas = new SharedResult(() => this.findStoppedSagas(), 0);
  private readonly secrets = new SharedResult(() => this.sources.secrets(), 0);
  private readonly mediaStore = new SharedResult(() => this.sources.mediaStore(), 0);
  private readonly held = new SharedResult(() => new CountHeld(this.sources.pool).holdsAnything(), 0);
  private readonly history = new SharedResult(() => readHistory(this.sources.pool), 0);

  constructor(private readonly sources: ReadinessSources) {}

  /** Returns a report that is at most a second old. Never throws. */
  read(): Promise<ReadinessReport> {
    return this.report.get();
  }

  private async check(): Promise<ReadinessReport> {
    const [database, eventStore, head, behind, sagas, secrets, held, history, clock, mediaStore] = await Promise.all([
      outcomeOf(this.projections.get()),
      outcomeOf(this.checkStore()),
      outcomeOf(this.sources.storeHead.get()),
      outcomeOf(this.behind.get()),
      outcomeOf(this.sagas.get()),
      outcomeOf(this.secrets.get()),
      outcomeOf(this.held.get()),
      outcomeOf(this.history.get()),
      outcomeOf(this.sources.clock.read()),
      outcomeOf(this.mediaStore.get()),
    ]);
    const projections = 'value' in database ? database.value : [];
    const stopped = projections.flatMap(({ name, error }) =>
      error === null ? [] : [{ name, reason: READINESS_MESSAGES.stopped({ error }) }],
    );
    const isStopped = (name: string): boolean => stopped.some((one) => one.name === name);
    const late = 'value' in behind ? behind.value.filter(({ name }) => !isStopped(name)) : [];
    const stuck = 'value' in sagas ? sagas.value : [];
    const checks = {
      database: describe(database),
      event_store: describe(eventStore),
      [REQUIRED]: 'value' in database ? this.judgeRequired(projections) : describe(database),
    };
    return {
      ok: Object.values(checks).every((outcome) => outcome === 'ok'),
      checks,
      degraded: [
        ...stopped.filter(({ name }) => name !== REQUIRED),
        ...late,
        ...stuck,
        ...this.describeSetAside(),
        ...this.describeFailing(stuck),
        ...('value' in clock ? describeClock(clock.value) : []),
        ...('value' in secrets && secrets.value !== null ? [{ name: 'secrets', reason: secrets.value }] : []),
        ...describeFileStore(mediaStore),
        ...this.describeArchive(),
        ...('value' in held && held.value ? [{ name: 'recovery', reason: READINESS_MESSAGES.recovery }] : []),
      ],
      event_store: this.describeStore('value' in head ? head.value : null, projections),
      helpers: this.sources.helpers(),
      history: 'value' in history ? history.value : null,
    };
  }

  private describeArchive(): Degradation[] {
    const reason = this.sources.archive();
    return reason === null ? [] : [{ name: 'archive', reason }];
  }

  private describeSetAside(): Degradation[] {
    const report = this.sources.setAside();
    if (!report) return [];
    const { count, postId, reason } = report;
    return [{ name: 'release-planned-posts', reason: READINESS_MESSAGES.setAside({ count, post: postId, reason }) }];
  }

  /** @param known sagas that are listed already */
  private describeFailing(known: readonly Degradation[]): Degradation[] {
    return this.sources
      .failingWork()
      .filter((work) => !known.some(({ name }) => name === work.name))
      .map(({ name, failures, seconds, reason }) => ({
        name,
        reason: READINESS_MESSAGES.failingWork({ failures, seconds, reason }),
      }));
  }

  private describeStore(head: Position | null, projections: readonly LiveProjection[]): StoreReport {
    const { id, droppedSubscriptions, lostConnections } = this.sources.connection();
    const lagOf = ({ position }: LiveProjection) => Math.max(0, Number((head ?? position) - position));
    return {
      id,
      position: head === null ? null : String(head),
      lag: head === null ? {} : Object.fromEntries(projections.map((one) => [one.name, lagOf(one)])),
      dropped_subscriptions: droppedSubscriptions,
      lost_connections: lostConnections,
    };
  }

  private checkStore(): Promise<void> {
    const { store, storeHead } = this.sources;
    return checkEventStore({ readHead: () => storeHead.get(), appendFailure: store.appendFailure });
  }

  private judgeRequired(projections: readonly LiveProjection[]): string {
    const required = projections.find(({ name }) => name === REQUIRED);
    if (!required) return READINESS_MESSAGES.notBuilt;
    if (required.error !== null) return READINESS_MESSAGES.stopped({ error: required.error });
    return required.level ? 'ok' : READINESS_MESSAGES.beingBuilt;
  }

  /** Reads the live projections, which also shows that the database responds. */
  private async readProjections(): Promise<LiveProjection[]> {
    const { rows } = await this.sources.pool.query<LiveProjection>(
      `select p.name, c.position, c.error, c.level from ops_projection p
       join ops_checkpoint c on c.name = p.name and c.version = p.live_version order by 1`,
    );
    return rows;
  }

  /** Finds the projections that have an unapplied event more than a minute old. */
  private async findBehind(): Promise<Degradation[]> {
    const [projections, head] = await Promise.all([this.projections.get(), this.sources.storeHead.get()]);
    const found = projections
      .filter(({ position }) => position < head)
      .map(async ({ name, position }) => {
        // A damaged event has no time; the projection stops there and is listed as stopped.
        const at = await this.sources.eventTimes.readAfter(position);
        const ms = typeof at === 'number' ? Date.now() - at : 0;
        const reason = READINESS_MESSAGES.farBehind({ seconds: Math.round(ms / 1_000) });
        return ms > FAR_BEHIND_MS ? [{ name, reason }] : [];
      });
    return (await Promise.all(found)).flat();
  }

  /**
   * Finds the sagas that fail on an event that is damaged or more than a minute old. Only sagas with an error count:
   * the position of an idle saga may be old, because it is not saved for events that the saga does not receive.
   */
  private async findStoppedSagas(): Promise<Degradation[]> {
    const { rows } = await this.sources.pool.query<FailingSaga>(
      `select name, ${HANDLED_POSITION} as position, error, failure from ops_checkpoint c
       where name like 'saga/%' and error is not null order by 1`,
    );
    const found = rows.map(async ({ name, position, error, failure }) => {
      const reason = READINESS_MESSAGES.stoppedSaga({ error });
      const at = failure ? failure.at : await this.sources.eventTimes.readAfter(position);
      return at !== 'none' && isStoppedAt(at) ? [{ name, reason }] : [];
    });
    return (await Promise.all(found)).flat();
  }
}

/** The value of a call, or the reason why it failed. */
type Outcome<T> = { readonly value: T } | { readonly reason: string };

const outcomeOf = <T>(call: Promise<T>): Promise<Outcome<T>> =>
  withTimeLimit(call, CHECK_MS, () => new Error(READINESS_MESSAGES.noAnswer({ ms: CHECK_MS }))).then(
    (value) => ({ value }),
    (error: unknown) => ({ reason: reasonOf(error) }),
  );

const describe = (outcome: Outcome<unknown>): string => ('value' in outcome ? 'ok' : outcome.reason);

const describeFileStore = (outcome: Outcome<string | null>): Degradation[] => {
  const reason = 'value' in outcome ? outcome.value : outcome.reason;
  return reason === null ? [] : [{ name: 'media_store', reason }];
};

const describeClock = (difference: MeasuredDifference): Degradation[] => {
  if (!isTooFarApart(difference)) return [];
  const { ms } = difference;
  const seconds = (Math.abs(ms) / 1_000).toFixed(1);
  return [{ name: 'clock', reason: READINESS_MESSAGES.clock({ seconds, side: ms > 0 ? 'ahead of' : 'behind' }) }];
};
