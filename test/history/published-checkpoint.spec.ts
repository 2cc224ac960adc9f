import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import { commitLog } from '../../src/history/transparency-log/commit-log.js';
import { LogTables } from '../../src/history/transparency-log/log-tables.js';
import { appendLeaves, EMPTY_TREE, hashLeaf } from '../../src/history/transparency-log/merkle.js';
import {
  type PublishedCheckpoint,
  PublishedCheckpoints,
} from '../../src/history/transparency-log/published-checkpoint.js';
import { createCurrentLog } from '../../src/history/transparency-log/transparency-log.js';
import { createPool } from '../../src/postgres/pool.js';
import { deriveHistoryKeys } from '../../src/secrets/key-ring.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const logger = createLogger({ logLevel: 'silent' });

describe('the newest published checkpoint', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startTestPostgres({ migrated: true });
    pool = createPool(postgres.connectionString, { max: 2, applicationName: 'published-checkpoint-spec', logger });
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  it('is in DATA_DIR before anybody can read it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'checkpoints-'));
    const { signingKey: key, sealKey } = deriveHistoryKeys(Buffer.alloc(32, 7));
    const identity = { origin: 'post.example.com/history', baseUrl: '', key, sealKey };
    // The transaction fails at its very end, so the checkpoint that it wrote cannot have been read.
    await pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create constraint trigger refuse after insert on ops_history_log deferrable initially deferred
        for each row execute function refuse()`);
    const entry = Buffer.from('stream\n1\nhash\n');
    const { edge, tiles } = appendLeaves(EMPTY_TREE, [hashLeaf(entry)]);
    const batch = { from: null, edge, tiles, entries: [{ bytes: entry, position: 1n }], position: 1n, lastEvent: 1n };
    await pool.query(
      `insert into ops_checkpoint (name, version, code, position) values ('saga/write-transparency-log', 1, 1, -1)`,
    );
    const published = new PublishedCheckpoints(null, folder, () => 'store');
    const current = createCurrentLog(identity, null, []);
    await expect(commitLog({ pool, identity, published }, current, batch)).rejects.toThrow('refused');

    expect(await new LogTables(pool).readHead()).toBeNull();
    expect(await readdir(folder)).toEqual(['store.json']);
    const kept = JSON.parse(await readFile(join(folder, 'store.json'), 'utf8')) as PublishedCheckpoint;
    expect(kept).toEqual({
      suffix: '',
      vkey: current.signer.vkey,
      checkpoint: current.signer.sign(1, hashLeaf(entry)),
      position: '1',
      ended: [],
    });
    expect(await published.read()).toEqual(kept);
  });
});
