import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { silentLog } from '../../../src/kernel/log.js';
import { Notifications } from '../../../src/postgres/notifications.js';
import { pgTypes } from '../../../src/postgres/pool.js';
import { ProjectionProgress } from '../../../src/projections/engine/progress.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

let postgres: TestPostgres;
let client: Client;
let pool: Pool;
let notifications: Notifications;
let progress: ProjectionProgress;

beforeAll(async () => {
  postgres = await startTestPostgres({ migrated: true });
  client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  await client.query(`
    insert into ops_checkpoint (name, version, code, position) values ('posts', 1, 1, 40);
    insert into ops_projection (name, live_version, last_version) values ('posts', 1, 1);
    create schema posts_v1; create table posts_v1.post ()`);
  pool = new Pool({ connectionString: postgres.connectionString, types: pgTypes });
  notifications = new Notifications(postgres.connectionString, silentLog);
  await notifications.start();
  progress = new ProjectionProgress(pool, notifications, [{ name: 'posts', version: 1, views: ['post'] }]);
  await progress.refresh();
});

afterAll(async () => {
  await notifications.stop();
  await pool.end();
  await client.end();
  await postgres.stop();
});

describe('the progress of read models', () => {
  it('is reported by the runners that update them', async () => {
    const reached = progress.waitFor(['posts'], 50n, 120_000);
    await client.query(`select pg_notify('projection', 'posts 1 50')`);
    expect(await reached).toBe(true);
    expect(await progress.waitFor(['posts'], 50n, 0)).toBe(true);
  });

  it('is read again after the database may have crashed and lost the last rows', async () => {
    progress.recordPosition('posts', 1, 50n);
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
                        where application_name = 'crosspost notifications' and datname = current_database()`);
    while (await progress.waitFor(['posts'], 50n, 0)) await sleep(5); // the lost connection is not noticed yet
    expect(await progress.waitFor(['posts'], 50n, 300)).toBe(false);
    expect(await progress.waitFor(['posts'], 40n, 120_000)).toBe(true);
    await client.query('update ops_checkpoint set position = 50');
    expect(await progress.waitFor(['posts'], 50n, 120_000)).toBe(true);
  });
});
