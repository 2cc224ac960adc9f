import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.js';
import { newDataDir } from '../support/postgres.js';
import { killSpawned, killTogether, postmasterPid, query, spawnEmbedded } from './spawn-embedded.js';

const ROUNDS = process.env.TEST_LONG ? 25 : 4;

/** Writes 1, 2, 3 …, one commit each, until the server ends. Returns the last number that was acknowledged. */
const writeUntilKilled = async (connectionString: string): Promise<number> => {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  let acknowledged = 0;
  try {
    await client.connect(); // on a busy machine the kill may come first
    for (;;) {
      const { rows } = await client.query<{ n: number }>('insert into counted default values returning n');
      acknowledged = rows[0]!.n;
    }
  } catch {
    return acknowledged;
  }
};

afterEach(killSpawned);

it(`loses no acknowledged commit in ${ROUNDS} kills at random moments`, async () => {
  const dataDir = await newDataDir();
  let acknowledged = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const spawned = await spawnEmbedded(dataDir);
    const { connectionString } = (await spawned.nextLine())!;
    await query(connectionString!, 'create table if not exists counted (n serial primary key)');
    // On a busy machine every kill may come before the first commit of its round.
    const [first] = await query(connectionString!, 'insert into counted default values returning n');
    acknowledged = Math.max(acknowledged, (first as { n: number }).n);
    const writing = writeUntilKilled(connectionString!);
    await sleep(Math.random() * 300);
    await killTogether(spawned, round % 2 === 0 ? [postmasterPid(dataDir)] : []);
    acknowledged = Math.max(acknowledged, await writing);
    await spawned.exited;
  }
  const last = await startEmbeddedPostgres({ dataDir, logger: createLogger({ logLevel: 'silent' }) });
  const [row] = await query(last.connectionString, 'select max(n) as newest, count(*)::int as rows from counted');
  await last.stop();
  await rm(dataDir, { recursive: true });
  expect(acknowledged).toBeGreaterThan(0);
  expect((row as { newest: number }).newest).toBeGreaterThanOrEqual(acknowledged);
});
