import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Position } from '../../event-store/port.js';
import { CLOCK, type Clock, type Instant } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { textArray } from '../../postgres/binary-array.js';
import { Leases, ON_LEASE_CONFLICT, rank, shardOf } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { RepeatedFailure } from '../../runtime/failing-work.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import type { GroupCapacity, GroupConcurrency, KeyPlace } from './group-concurrency.js';
import { isOutage, OutageNotice, type ShutdownSignals } from './run-under-lease.js';

/** All shards. A key's shard is the last two digits of its id, which are random hex digits. */
const SHARDS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** Number of keys that justify another worker; keys on the same worker share appends and reads. */
const KEYS_PER_WORKER = 32;

/**
 * The shards that this worker handles first. Each shard belongs to one live worker, by rendezvous hashing. This is only
 * a hint: workers may disagree, and each worker regularly sweeps all keys (ADR-102).
 */
export class OwnShards {
  private shards: ReadonlySet<string> | null = null;
  private channels = 0;

  /** @param schedule read model with the queues; the holder of its lease sees outcomes first and gets shards first */
  constructor(
    private readonly leases: Pick<Leases, 'liveWorkers' | 'workerId' | 'findHolder'>,
    private readonly schedule: string,
  ) {}

  /** Number of keys beyond which additional keys make no difference. */
  get mostKeys(): number {
    return this.leases.liveWorkers.length * KEYS_PER_WORKER;
  }

  /** Recomputes the shards after a change in the workers or the number of keys. */
  update(channels = this.channels): void {
    this.channels = channels;
    const { liveWorkers, workerId } = this.leases;
    const isAlone = workerId === null || liveWorkers.length < 2;
    const holder = this.leases.findHolder(`projection/${this.schedule}/`);
    const order = [...new Set([...liveWorkers.filter((id) => id === holder), ...rank('publish', liveWorkers)])];
    const publishing = order.slice(0, Math.max(1, Math.ceil(channels / KEYS_PER_WORKER)));
    this.shards = isAlone ? null : new Set(SHARDS.filter((shard) => rank(shard, publishing)[0] === workerId));
  }

  /** The shards, for a query; null for all. */
  get list(): readonly string[] | null {
    return this.shards && [...this.shards];
  }

  /** True if a key is in one of these shards. */
  has(channelId: string): boolean {
    return this.shards === null || this.shards.has(shardOf(channelId));
  }

  /** True if any of the given shards belongs to this worker. @param shards null for any */
  hasAny(shards: ReadonlySet<string> | null): boolean {
    return shards === null || this.shards === null || [...shards].some((shard) => this.shards!.has(shard));
  }
}

/** Services that all due work needs. */
@Injectable()
export class DueWorkServices {
  constructor(
    readonly progress: ProjectionProgress,
    readonly leases: Leases,
    readonly notifications: Notifications,
    @Inject(CLOCK) readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
  ) {}
}

/** One kind of due work: how to wait for it, read it and do it. */
export interface DueWorkKind<Queue> {
  readonly claims: Pick<DueClaims, 'claim' | 'release'>;
  readonly concurrency: GroupConcurrency;
  /** Name of a key in log messages, such as `channel`. */
  readonly keyName: string;
  /** Name of the activity in log messages, such as `publishing`. */
  readonly activity: string;
  /** Notification channel that names the shards of keys that became due; absent if sweeps find them early enough. */
  readonly notification?: 'due' | 'change' | 'deliveries';
  /**
   * True if there is rarely any work of this kind: keys that other workers release are then found by the next sweep, as
   * each publication releases the lease of its channel.
   */
  readonly isRare?: boolean;
  /** Read models that the work needs. */
  readonly readModels: readonly string[];
  /** The read model with the queues. */
  readonly schedule: string;
  /** Reads a key's queue; null if nothing on it is due. */
  readonly readQueue: (key: string, now: Instant) => Promise<Queue | null>;
  /**
   * Processes the due items, in order.
   * @returns the position of the last event; null if nothing can be done on the key yet
   */
  readonly workOff: (queue: Queue, worker: string, signals: ShutdownSignals) => Promise<Position | null>;
}

/** Interval, in ms, at which a worker checks the keys of all workers, in case a notification was lost. */
const SWEEP_MS = 2_000;
/** How long to leave an idle key alone, in ms. */
const IDLE_COOLDOWN_MS = 250;
const FAILURE_COOLDOWN_MS = 1_000;

/**
 * Claims due keys, and processes the queue of each under its lease: channels for publishing, webhook outputs for
 * deliveries (ADR-151). Sleeps until a key in its own shards is due or free, or until the next sweep, which also claims
 * keys of other workers that may be busy or gone (ADR-102).
 */
export class DueWork<Queue> {
  private readonly activeKeys = new Map<string, Promise<void>>();
  /**
   * Keys not to claim, with end times as `performance.now()` timestamps, because the system clock may be set back
   * (ADR-103).
   */
  private readonly cooldowns = new Map<string, number>();
  private readonly shards: OwnShards;
  private readonly outage: OutageNotice;
  /** `performance.now()` timestamp of the next sweep. */
  private nextSweepAt = 0;
  /** True if a sweep found more keys than there was room for; the next claim then continues it. */
  private isSweeping = false;
  /** Aborted to trigger the next claim at once. */
  private woken = new AbortController();

  constructor(
    private readonly kind: DueWorkKind<Queue>,
    private readonly deps: DueWorkServices,
  ) {
    this.shards = new OwnShards(deps.leases, kind.schedule);
    this.outage = new OutageNotice(kind.activity, deps.log);
  }

  /** Runs until the drain signal, then waits for work in progress. */
  async run(signals: ShutdownSignals): Promise<void> {
    const { drain } = signals;
    const unsubscribe = this.listen(drain);
    const { readModels } = this.kind;
    while (!drain.aborted && !(await this.deps.progress.waitForOwnVersions(readModels, FAILURE_COOLDOWN_MS)));
    const claimFailure = new RepeatedFailure();
    while (!drain.aborted) {
      this.woken = new AbortController();
      try {
        const nextAt = await this.claimAndStart(signals);
        await sleepUnlessAborted(Math.max(1, nextAt - performance.now()), this.woken.signal);
        claimFailure.clear();
      } catch (error) {
        claimFailure.warn(this.deps.log, error, `failed to claim a due ${this.kind.keyName}; retrying`);
        await sleepUnlessAborted(FAILURE_COOLDOWN_MS, drain);
      }
    }
    unsubscribe();
    await Promise.all(this.activeKeys.values());
  }

  /** Wakes this loop when its own keys may be due or free. Returns a function that unsubscribes. */
  private listen(drain: AbortSignal): () => void {
    const { leases, notifications } = this.deps;
    const { concurrency } = this.kind;
    const wakeFor = (shards: ReadonlySet<string> | null) => {
      if (this.shards.hasAny(shards)) this.requestWake();
    };
    if (!this.kind.isRare) leases.onRelease(wakeFor);
    leases.onWorkers(() => {
      this.shards.update();
      this.requestWake();
    });
    this.shards.update();
    concurrency.onFree = () => this.requestWake();
    drain.addEventListener('abort', () => this.requestWake());
    const { notification } = this.kind;
    if (!notification) return () => undefined;
    return notifications.subscribe(notification, (payload) => wakeFor(new Set(payload.split(' '))));
  }

  private requestWake(): void {
    this.woken.abort('woken'); // the default reason would create an error for each call
  }

  /** Claims due keys and starts working on them. @returns `performance.now()` timestamp of the next claim */
  private async claimAndStart(signals: ShutdownSignals): Promise<number> {
    for (const [key, until] of this.cooldowns) if (until <= performance.now()) this.cooldowns.delete(key);
    const { leases, clock } = this.deps;
    const { concurrency, claims } = this.kind;
    const worker = leases.workerId;
    if (worker === null) return performance.now() + SWEEP_MS;
    const now = clock.now();
    const capacity = concurrency.free();
    const except = [...this.cooldowns.keys(), ...this.activeKeys.keys()];
    this.isSweeping ||= performance.now() >= this.nextSweepAt;
    if (this.isSweeping) this.nextSweepAt = performance.now() + SWEEP_MS;
    const { list: shards, mostKeys } = this.shards;
    const scope = { shards, mostKeys, isSweep: this.isSweeping };
    const { claimed, nextDue, keyCount } = await claims.claim(worker, now, capacity, except, scope);
    if (keyCount !== null) this.shards.update(keyCount);
    for (const each of claimed) this.start(each, worker, signals);
    // An owner that has just reached its share may have crowded out other owners' keys: claim again without that owner.
    const hasFilledShare = claimed.some((one) => concurrency.isFull(one));
    if (hasFilledShare) this.requestWake();
    this.isSweeping &&=
      hasFilledShare ||
      capacity.some(({ group, size }) => claimed.filter((one) => one.group === group).length === size);
    const untilDue = (nextDue ?? Infinity) - clock.now();
    return Math.min(performance.now() + Math.min(untilDue, SWEEP_MS), this.nextSweepAt, ...this.cooldowns.values());
  }

  private start(claimed: ClaimedKey, worker: string, signals: ShutdownSignals): void {
    const { key } = claimed;
    const { concurrency } = this.kind;
    concurrency.acquire(claimed);
    const working = this.workOffQueue(claimed, worker, signals).finally(() => {
      this.activeKeys.delete(key);
      concurrency.release(claimed);
    });
    this.activeKeys.set(key, working);
  }

  /** Processes a key's due items, then releases the key. */
  private async workOffQueue(claimed: ClaimedKey, worker: string, signals: ShutdownSignals): Promise<void> {
    const { key } = claimed;
    const { claims, keyName, activity, schedule, readQueue, workOff } = this.kind;
    const { progress, leases, clock, log } = this.deps;
    let batches = 0;
    const keptUntil = performance.now() + SWEEP_MS;
    try {
      while (!signals.drain.aborted && leases.stillHoldsLeasesOf(worker)) {
        if (performance.now() > keptUntil && !this.shards.has(key)) break; // the key's own worker takes over
        const queue = await readQueue(key, clock.now());
        if (!queue) break;
        const position = await workOff(queue, worker, signals);
        if (position === null) break;
        batches += 1;
        this.outage.recordSuccess();
        // The next read must see a schedule that includes this outcome.
        if (!(await progress.waitFor([schedule], position))) break;
      }
    } catch (error) {
      if (isOutage(error)) this.outage.recordOutage(error);
      else log.error({ [keyName]: key, err: error }, `${activity} failed on a ${keyName}; retrying`);
      this.cooldowns.set(key, performance.now() + FAILURE_COOLDOWN_MS);
    }
    if (batches === 0 && !this.cooldowns.has(key)) this.cooldowns.set(key, performance.now() + IDLE_COOLDOWN_MS);
    await claims.release(claimed);
  }
}

/** The due rows of a read model, each with its own key, such as a channel or a webhook output. */
export interface DueSource {
  /** Lease name prefix, such as `channel/`. */
  readonly prefix: string;
  /** Table with the columns `next_due`, the key and the group. */
  readonly table: string;
  /** Column of the key, whose last two characters are its shard. */
  readonly key: string;
  /** Column of the group; a key uses the capacity of its group. */
  readonly group: string;
  /** SQL expression: while it is true, nothing is claimed. Absent if there is none. */
  readonly unless?: string;
  /** Column of the owner, if owners share a group's capacity; otherwise absent. */
  readonly owner?: string;
}

/** A key that a worker has leased. */
export interface ClaimedKey extends KeyPlace {
  readonly key: string;
  /** Term of the lease: see {@link Leases}. */
  readonly term: bigint;
}

/** The keys that a claim has acquired, and when to claim next. */
export interface Claim {
  readonly claimed: readonly ClaimedKey[];
  /** Time at which the next key in the worker's own shards becomes due; null if there is none. */
  readonly nextDue: Instant | null;
  /** Total number of keys, counted up to `mostKeys`; null unless this is a sweep. */
  readonly keyCount: number | null;
}

/** The keys that a claim may acquire. */
export interface ClaimScope {
  /** The worker's own shards; null for all. */
  readonly shards: readonly string[] | null;
  /** True to also claim keys in other workers' shards, and to count all keys, up to `mostKeys`. */
  readonly isSweep: boolean;
  readonly mostKeys: number;
}

const ALL: ClaimScope = { shards: null, isSweep: true, mostKeys: 1 };

/** Claims due keys under leases, so that only one worker at a time works on a key. */
export class DueClaims {
  constructor(
    private readonly pool: Pool,
    private readonly leases: Leases,
    private readonly source: DueSource,
  ) {}

  /**
   * Claims due keys that no other worker holds, longest overdue first, and no more per owner than {@link FairSlots}
   * allows.
   * @param capacity free slots of all groups
   * @param except keys not to claim; any other key that this worker holds is claimed again, because its release failed
   */
  async claim(
    workerId: string,
    now: Instant,
    capacity: readonly GroupCapacity[],
    except: readonly string[],
    { shards, isSweep, mostKeys }: ClaimScope = ALL,
  ): Promise<Claim> {
    const { prefix, table, key, group, owner, unless } = this.source;
    const { rows } = await this.pool.query<
      ClaimedKey & { term: bigint | null; nextDue: bigint | null; keyCount: number | null }
    >({
      name: `claim due ${prefix}`,
      // "nth" and "rank" count as if keys started one at a time, owners taking turns, so that FairSlots has a slot for
      // each. The selects around parameters hide their values from the planner, which would otherwise plan every
      // claim, and take longer than the claim.
      text: `
        with capacity as (
          select * from jsonb_to_recordset($2) capacity("group" text, size int, held jsonb, "full" text[])),
        found as (
          select c.*, capacity."group", capacity.size,
            coalesce((capacity.held->>c.owner)::int, 0) - 1
              + row_number() over (partition by capacity."group", c.owner order by c.next_due) as nth
          from capacity cross join lateral (
            select c.${key} as key, '${prefix}' || c.${key} as name, ${owner ? `c.${owner}` : `''`} as owner, c.next_due
            from ${table} c
            where c.${group} = capacity."group" and c.next_due <= (select $1::bigint)
              and c.${key} not in (select unnest($4::text[]))
              ${owner ? `and c.${owner} <> all(capacity."full")` : ''}
              ${unless ? `and not (${unless})` : ''}
              and ((select $5::text[] is null or $6) or right(c.${key}, 2) in (select unnest($5::text[])))
              and not exists (select 1 from ops_lease l where l.name = '${prefix}' || c.${key} and l.worker_id <> $3)
            order by c.next_due limit capacity.size) c),
        ranked as (
          select *, row_number() over (partition by "group" order by nth, next_due) - 1 as rank from found),
        due as (select * from ranked where owner = '' or nth < size - rank),
        claimed as (
          insert into ops_lease (name, worker_id)
          select due.name, w.worker_id from due join ops_worker w on w.worker_id = $3 order by due.name
          ${ON_LEASE_CONFLICT}),
        next as (
          select min(due.at) as at from capacity cross join lateral (
            select c.next_due as at from ${table} c
            where c.${group} = capacity."group" and c.next_due > (select $1::bigint)
              and ((select $5::text[] is null) or right(c.${key}, 2) in (select unnest($5::text[])))
            order by c.next_due limit 1) due)
        select due.key, due."group", due.owner, claimed.term, next.at as "nextDue",
          case when $6 then (select count(*)::int from (select from ${table} limit $7) c) end as "keyCount"
        from next left join (claimed join due on due.name = claimed.name) on true`,
      values: [
        now,
        JSON.stringify(capacity.map((one) => ({ ...one, held: Object.fromEntries(one.held) }))),
        workerId,
        textArray(except),
        shards && textArray(shards),
        isSweep,
        mostKeys,
      ],
    });
    const { nextDue, keyCount } = rows[0]!;
    const claimed = rows.flatMap(({ key: one, group: ofGroup, owner: ofOwner, term }) =>
      term === null ? [] : [{ key: one, group: ofGroup, owner: ofOwner, term }],
    );
    return { claimed, nextDue: nextDue === null ? null : Number(nextDue), keyCount };
  }

  async release({ key, term }: ClaimedKey): Promise<void> {
    await this.leases.release({ name: this.source.prefix + key, term });
  }
}
