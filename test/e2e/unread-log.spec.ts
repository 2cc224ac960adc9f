import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shareHarness } from './e2e-harness.js';
import { until } from './until.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const REQUESTS = 600;

describe('a gateway whose stderr is a pipe that nothing reads (ADR-89)', () => {
  const test = shareHarness(async (harness) => {
    const folder = await harness.createFolder();
    const fifo = join(folder, 'stderr');
    execFileSync('mkfifo', [fifo]);
    const pipe = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    const settings = { DATA_DIR: join(folder, 'data'), PORT: '0', DEMO: 'off', LOG_LEVEL: 'trace' };
    const env = { PATH: process.env.PATH, ...(await harness.createDatabase()), ...settings };
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', pipe] });
    harness.addCleanup(async () => void child.kill('SIGKILL'));
    closeSync(pipe);
    let printed = '';
    child.stdout!.on('data', (text: Buffer) => (printed += text.toString()));
    return { child, readUrl: () => /^\s*Crosspost\s+(http:\/\/\S+)/m.exec(printed)?.[1] };
  });

  test(`starts, answers ${REQUESTS} unauthorized requests, and ends`, async ({ child, readUrl }) => {
    const exited = new Promise((resolve) => child.on('exit', resolve));
    const url = await until('it has started', readUrl);
    const send = async (): Promise<number> =>
      (await fetch(`${url}/v1/webhooks/unknown`, { method: 'POST', body: '{}' })).status;
    await until('its read models are built', async () => (await send()) === 401);
    for (let n = 0; n < REQUESTS; n += 20)
      expect(new Set(await Promise.all(Array.from({ length: 20 }, send)))).toEqual(new Set([401]));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^crosspost_log_lines_dropped_total \d+$/m);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});
