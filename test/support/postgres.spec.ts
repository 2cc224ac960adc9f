import { spawn } from 'node:child_process';
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
    // A separate process resumes it, because this thread may stall for longer than stop() waits for the session.
    spawn('sh', ['-c', `sleep 0.3; kill -CONT ${pid}`], { stdio: 'ignore' });
    await stop();
    expect(errors).toEqual([]);
  });
});
