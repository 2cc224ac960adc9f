import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { BEGINNING, type NewEvent, type StoredEvent } from '../../src/event-store/port.js';
import { PostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { Random } from '../e2e/random.js';
import { until } from '../e2e/until.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const LONG = Boolean(process.env.TEST_LONG);
const RUNS = LONG ? 40 : 2;
const APPENDS = LONG ? 1_500 : 300;
const STORES = 3;
const WRITERS = 6;
const TYPES = ['A', 'B', 'C', 'D'];

interface Seen {
  readonly position: bigint;
  readonly id: string;
}

const placeOf = ({ position, id }: StoredEvent): Seen => ({ position, id });

/** Follows a store, and leaves and joins again at random, as a saga whose lease moves. */
class Follower {
  readonly seen: Seen[] = [];
  position = BEGINNING;

  constructor(
    private readonly stores: readonly PostgresEventStore[],
    readonly types: readonly string[] | null,
    private readonly random: Random,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leave = new AbortController();
      let batches = 1 + this.random.below(40);
      const store = this.stores[this.random.below(this.stores.length)]!;
      const maxBatch = 1 + this.random.below(300);
      for await (const batch of store.subscribe({
        after: this.position,
        signal: AbortSignal.any([signal, leave.signal]),
        maxBatch,
        ...(this.types && { types: this.types }),
      })) {
        this.seen.push(...batch.events.map(placeOf));
        this.position = batch.position;
        if (this.random.below(4) === 0) await sleep(this.random.below(30)); // a commit of the follower
        if (--batches <= 0) break;
      }
      leave.abort();
    }
  }
}

describe('the order in which followers receive the log', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startTestPostgres({ migrated: true });
    pool = new Pool({ connectionString: postgres.connectionString });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  it.each(Array.from({ length: RUNS }, (_, n) => n))(
    'is that of the table, beside conflicts, lost connections and followers that move (run %i)',
    async () => {
      const random = new Random();
      const stores = Array.from(
        { length: STORES },
        () => new PostgresEventStore({ connectionString: postgres.connectionString }),
      );
      const before = await stores[0]!.readHead();
      const followers = [null, null, ['A'], ['A', 'B'], ['D']].map((types) => new Follower(stores, types, random));
      for (const follower of followers) follower.position = before;
      const stop = new AbortController();
      const following = followers.map((follower) => follower.run(stop.signal));
      const streams = Array.from({ length: 12 }, () => ({ name: `s-${randomUUID()}`, revision: -1n }));
      let left = APPENDS;
      const write = async (): Promise<void> => {
        while (left-- > 0) {
          const stream = streams[random.below(streams.length)]!;
          const events: NewEvent[] = Array.from({ length: 1 + random.below(5) }, () => ({
            id: randomUUID(),
            type: TYPES[random.below(TYPES.length)]!,
            data: '{}',
            metadata: '{}',
          }));
          const expected = stream.revision < 0n ? 'noStream' : stream.revision;
          // Others append to the same stream meanwhile: a part of each batch is rejected.
          await stores[random.below(STORES)]!.append(stream.name, expected, events)
            .then(({ revision }) => (stream.revision = revision))
            .catch(async () => {
              const [last] = await stores[0]!
                .readStream(stream.name, { direction: 'backwards', limit: 1 })
                .catch(() => [] as StoredEvent[]);
              if (last) stream.revision = last.revision;
            });
          if (random.below(5) === 0) await sleep(random.below(10));
        }
      };
      const breakConnections = async (): Promise<void> => {
        while (left > 0) {
          await sleep(random.below(400));
          await pool
            .query(
              `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
               and pid <> pg_backend_pid() and random() < 0.3`,
            )
            .catch(() => undefined);
        }
      };
      await Promise.all([...Array.from({ length: WRITERS }, write), breakConnections()]);
      const { rows } = await pool.query<{ position: string; id: string; type: string }>(
        'select e.position::text, e.id::text, e.type from event_store.event e where e.position > $1 order by e.position',
        [String(before)],
      );
      const end = BigInt(rows.at(-1)!.position);
      await until('all followers have reached the end', () => followers.every(({ position }) => position >= end));
      stop.abort();
      await Promise.all(following);
      for (const { seen, types } of followers) {
        const wanted = rows.filter(({ type }) => !types || types.includes(type));
        const expected = wanted.map(({ position, id }) => `${position} ${id}`);
        expect({ seed: random.seed, seen: seen.map(({ position, id }) => `${position} ${id}`) }).toEqual({
          seed: random.seed,
          seen: expected,
        });
      }
      await Promise.all(stores.map((store) => store.close()));
    },
    300_000,
  );
});
