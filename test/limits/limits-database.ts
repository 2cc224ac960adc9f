import { Pool } from 'pg';
import { type LimitsProfile, type PlanLimits, readLimitsProfile } from '../../src/config/limits-profile.js';
import { PLANS } from '../../src/domain/owner/owner.events.js';
import { type LimitedEndpoint, Limiter } from '../../src/limits/limiter.js';
import { pgTypes } from '../../src/postgres/pool.js';
import { discoveryTables } from '../../src/projections/discovery/discovery.tables.js';
import { postsTables } from '../../src/projections/posts/posts.tables.js';
import { startTestPostgres } from '../support/postgres.js';

/** A test's changes to profile A. */
export interface ProfileChange extends Partial<Omit<LimitsProfile, 'plans'>> {
  /** Changes to every plan. */
  readonly plan?: Partial<PlanLimits>;
}

export const profileWith = ({ plan, ...rest }: ProfileChange = {}): LimitsProfile => {
  const profile = readLimitsProfile('A');
  const plans = Object.fromEntries(PLANS.map((name) => [name, { ...profile.plans[name], ...plan }]));
  return { ...profile, ...rest, plans: plans as LimitsProfile['plans'] };
};

/** A database with the tables that the limiter reads, and endpoints inserted directly. */
export class LimitsDatabase {
  private readonly pools: Pool[] = [];
  private count = 0;

  private constructor(
    private readonly connectionString: string,
    readonly pool: Pool,
    private readonly stopServer: () => Promise<void>,
  ) {}

  static async start(): Promise<LimitsDatabase> {
    const { connectionString, stop } = await startTestPostgres({ migrated: true });
    const pool = new Pool({ connectionString, max: 1 });
    for (const [schema, tables] of Object.entries({ discovery: discoveryTables, posts: postsTables }))
      await pool.query(`create schema ${schema}; set search_path to ${schema}; ${tables}; set search_path to default`);
    return new LimitsDatabase(connectionString, pool, stop);
  }

  async stop(): Promise<void> {
    await Promise.all([this.pool, ...this.pools].map((pool) => pool.end()));
    await this.stopServer();
  }

  /** Returns a limiter with its own connections, as each process has. */
  newLimiter(profile: LimitsProfile): Limiter {
    return new Limiter(this.newPool(4), profile);
  }

  /** Returns a limiter whose clock stays at noon until it is set. */
  async newLimiterAtNoon(
    profile: LimitsProfile,
  ): Promise<{ limiter: Limiter; setClock: (time: string) => Promise<void> }> {
    const { pool, setClock } = await this.newPoolAtNoon();
    return { limiter: new Limiter(pool, profile), setClock };
  }

  /** Returns a connection whose clock stays at noon until it is set. */
  async newPoolAtNoon(): Promise<{ pool: Pool; setClock: (time: string) => Promise<void> }> {
    const pool = this.newPool(1);
    const setClock = async (time: string): Promise<void> => {
      await pool.query(`select set_config('crosspost.now', $1, false)`, [time.includes('T') ? time : onTestDay(time)]);
    };
    await setClock('12:00:00');
    return { pool, setClock };
  }

  async createEndpoint(
    plan: LimitedEndpoint['plan'] = 'pro',
    min_interval = 10,
    owner_id = `own_${this.count + 1}`,
  ): Promise<LimitedEndpoint> {
    const endpoint_id = `ep_${++this.count}`;
    await this.pool.query(
      `insert into discovery.endpoint
       select * from json_populate_record(null::discovery.endpoint, $1::json)`,
      [
        JSON.stringify({
          endpoint_id,
          owner_id,
          slug: endpoint_id,
          mode: 'live',
          project_ids: [],
          token_hash: '',
          epoch: '1',
          version: '1',
          state: { min_interval },
        }),
      ],
    );
    return { endpoint_id, owner_id, version: '1', min_interval, plan };
  }

  /** Changes an endpoint as an event would in the read model: a new version, and a new epoch if it is enabled. */
  async changeEndpoint(endpoint: LimitedEndpoint, { enabled }: { enabled: boolean }): Promise<LimitedEndpoint> {
    const version = String(Number(endpoint.version) + 1);
    await this.pool.query(
      'update discovery.endpoint set version = $2, epoch = case when $3 then $2 else epoch end where endpoint_id = $1',
      [endpoint.endpoint_id, version, enabled],
    );
    return { ...endpoint, version };
  }

  /** Creates a stream with one event. */
  async writeStream(stream: string): Promise<void> {
    await this.pool.query(
      `select event_store.append_events('{0}', array[$1], '{0}', '{t}', array[gen_random_uuid()], '{E}', array['{}'], array['{}'])`,
      [stream],
    );
  }

  /** Returns a separate pool, as each process has one. */
  newPool(max: number): Pool {
    // The clock is a setting of the connection: an idle connection must not be replaced.
    const pool = new Pool({ connectionString: this.connectionString, max, types: pgTypes, idleTimeoutMillis: 0 });
    this.pools.push(pool);
    return pool;
  }
}

const onTestDay = (time: string): string => `2026-03-14T${time}Z`;
