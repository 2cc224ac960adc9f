import type { Pool } from 'pg';
import type { Instant } from '../../kernel/instant.js';
import { type Leases, ON_LEASE_CONFLICT } from '../../postgres/leases.js';
import type { GroupCapacity, KeyPlace } from './group-concurrency.js';

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
      // each.
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
            where c.${group} = capacity."group" and c.next_due <= $1 and c.${key} <> all($4)
              ${owner ? `and c.${owner} <> all(capacity."full")` : ''}
              ${unless ? `and not (${unless})` : ''}
              and ($5::text[] is null or $6 or right(c.${key}, 2) = any($5))
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
            where c.${group} = capacity."group" and c.next_due > $1
              and ($5::text[] is null or right(c.${key}, 2) = any($5))
            order by c.next_due limit 1) due)
        select due.key, due."group", due.owner, claimed.term, next.at as "nextDue",
          case when $6 then (select count(*)::int from (select from ${table} limit $7) c) end as "keyCount"
        from next left join (claimed join due on due.name = claimed.name) on true`,
      values: [
        now,
        JSON.stringify(capacity.map((one) => ({ ...one, held: Object.fromEntries(one.held) }))),
        workerId,
        except,
        shards,
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
