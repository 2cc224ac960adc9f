import { Pool } from 'pg';
import { type LimitsProfile, type PlanLimits, PLANS, readLimitsProfile } from '../../src/config/limits-profile.js';
import { createLogger } from '../../src/config/logger.js';
import { eventStoreSchema } from '../../src/event-store/postgres/schema.js';
import { Limiter, type LimitedEndpoint } from '../../src/limits/limiter.js';
import { migrate } from '../../src/postgres/migrations.js';
import { migrations } from '../../src/postgres/migrations/all.js';
import { pgTypes } from '../../src/postgres/pool.js';
import { discoveryTables } from '../../src/projections/discovery/discovery.tables.js';
import { postsTables } from '../../src/projections/posts/posts.tables.js';
import { startTestPostgres } from '../support/postgres.js';

/** What a test changes of profile A. */
export interface ProfileChange extends Partial<Omit<LimitsProfile, 'plans'>> {
  /** The same for every plan. */
  readonly plan?: Partial<PlanLimits>;
}

export const profileWith = ({ plan, ...rest }: ProfileChange = {}): LimitsProfile => {
  const profile = readLimitsProfile('A');
  const plans = Object.fromEntries(PLANS.map((name) => [name, { ...profile.plans[name], ...plan }]));
  return { ...profile, ...rest, plans: plans as LimitsProfile['plans'] };
};

/** The tables that limits are judged by, with endpoints put there by hand. */
export class LimitsDatabase {
  private readonly pools: Pool[] = [];
  private count = 0;

  private constructor(
    private readonly connectionString: string,
    readonly pool: Pool,
    private readonly stopServer: () => Promise<void>,
  ) {}

  static async start(): Promise<LimitsDatabase> {
    const { connectionString, stop } = await startTestPostgres();
    await migrate(connectionString, migrations, createLogger({ logLevel: 'error' }));
    const pool = new Pool({ connectionString, max: 1 });
    for (const [schema, tables] of Object.entries({ discovery: discoveryTables, posts: postsTables }))
      await pool.query(`create schema ${schema}; set search_path to ${schema}; ${tables}; set search_path to default`);
    return new LimitsDatabase(connectionString, pool, stop);
  }

  async stop(): Promise<void> {
    await Promise.all([this.pool, ...this.pools].map((pool) => pool.end()));
    await this.stopServer();
  }

  /** A limiter as a process has one, over connections of its own. */
  process(profile: LimitsProfile): Limiter {
    return new Limiter(this.newPool(4), profile);
  }

  /** A limiter whose clock stands still until it is set. */
  async atNoon(profile: LimitsProfile): Promise<{ limiter: Limiter; setClock: (time: string) => Promise<void> }> {
    const pool = this.newPool(1);
    const setClock = async (time: string): Promise<void> => {
      await pool.query(`select set_config('crosspost.now', $1, false)`, [time.includes('T') ? time : on(time)]);
    };
    await setClock('12:00:00');
    return { limiter: new Limiter(pool, profile), setClock };
  }

  async endpoint(plan: LimitedEndpoint['plan'] = 'pro', min_interval = 10): Promise<LimitedEndpoint> {
    const endpoint_id = `ep_${++this.count}`;
    await this.pool.query(
      `insert into discovery.endpoint
       select * from json_populate_record(null::discovery.endpoint, $1::json)`,
      [
        JSON.stringify({
          ...{ endpoint_id, owner_id: 'own_1', slug: endpoint_id, mode: 'live', token_hash: '', signing_secret_id: '' },
          ...{ previous_until: 0, project_ids: [], min_interval, require_signature: false, require_timestamp: false },
          ...{ ip_allowlist: [], verbose_discovery: false, epoch: '1', created_at: 0, version: '1' },
        }),
      ],
    );
    return { endpoint_id, version: '1', min_interval, plan };
  }

  /** What an event does to an endpoint in the read model: a new version, and a new epoch where it was switched on. */
  async change(endpoint: LimitedEndpoint, { enabled }: { enabled: boolean }): Promise<LimitedEndpoint> {
    const version = String(Number(endpoint.version) + 1);
    await this.pool.query(
      'update discovery.endpoint set version = $2, epoch = case when $3 then $2 else epoch end where endpoint_id = $1',
      [endpoint.endpoint_id, version, enabled],
    );
    return { ...endpoint, version };
  }

  /** Makes a stream of one event. */
  async write(stream: string): Promise<void> {
    await this.pool.query(eventStoreSchema('event_store', 1n));
    await this.pool.query(
      `select event_store.append_events('{0}', array[$1], '{0}', '{t}', array[gen_random_uuid()], '{E}', array['{}'], array['{}'])`,
      [stream],
    );
  }

  private newPool(max: number): Pool {
    // A set clock belongs to its connection: an idle one must not be replaced.
    const pool = new Pool({ connectionString: this.connectionString, max, types: pgTypes, idleTimeoutMillis: 0 });
    this.pools.push(pool);
    return pool;
  }
}

const on = (time: string): string => `2026-03-14T${time}Z`;
