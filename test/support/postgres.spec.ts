import { Pool } from 'pg';
import { startTestPostgres } from './postgres.js';

describe('a database of one test', () => {
  it('is dropped once the sessions that are ending have ended', async () => {
    const { connectionString, stop } = await startTestPostgres();
    const pool = new Pool({ connectionString, max: 1 });
    const errors: Error[] = [];
    pool.on('error', (error) => errors.push(error));
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = rows[0]!;
    process.kill(pid, 'SIGSTOP'); // a server that briefly does not respond
    await pool.end();
    setTimeout(() => process.kill(pid, 'SIGCONT'), 300);
    await stop();
    expect(errors).toEqual([]);
  });
});
