import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../support/gateway-process.js';
import { concurrentE2eTest, createManagementClient } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

const run = async (url: string, ...args: readonly string[]) => {
  const program = Program.spawn('crosspost', ['cli/main.js', ...args], {
    CROSSPOST_URL: url,
    CROSSPOST_KEY: OPERATOR_KEY,
  });
  const { code } = await program.exited;
  await program.closed;
  return { code, output: program.output, errors: program.log };
};

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** Plans posts by `send`, and lists and changes them. */
const planAndChange = async (url: string, { id, token }: { id: string; token: string }): Promise<void> => {
  const read = async (...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const { code, output, errors } = await run(url, ...args);
    expect([args[0], code, errors]).toEqual([args[0], 0, '']);
    return JSON.parse(output) as Readonly<Record<string, unknown>>;
  };
  const send = async (text: string, at: string): Promise<string> => {
    const to = ['--endpoint', id, '--token', token, '--idempotency-key', text];
    const answer = await read('send', ...to, '--text', text, '--at', at);
    expect(answer).toMatchObject({ state: 'planned', publish_at: at });
    return String(answer.id);
  };
  const [late, early] = [await send('late', inDays(9)), await send('early', inDays(8))];
  const ids = await until('both are listed', async () => {
    const listed = await run(url, 'posts', '--planned', '--limit', '9');
    const lines = listed.output.trim().split('\n');
    return lines.length === 2 && lines.map((line) => (JSON.parse(line) as { id: string }).id);
  });
  expect(ids).toEqual([early, late]);
  expect(await run(url, 'posts', '--planned', '--state', 'failed')).toMatchObject({ code: 2 });

  const next = inDays(7);
  expect(await read('reschedule', late, '--at', next)).toMatchObject({ publish_at: next, revision: 2 });
  expect(await read('reschedule', late, '--at', 'now')).toMatchObject({ state: 'released', publish_at: null });
  const again = await run(url, 'reschedule', late, '--at', 'now');
  expect(again).toMatchObject({ code: 1, output: '' });
  expect(again.errors).toMatch(/^already_released: \S/);
  expect((await run(url, 'reschedule', early, '--at', 'tomorrow')).errors).toMatch(/^invalid_publish_at: /);
  for (const wrong of [
    ['reschedule', early],
    ['edit', early],
    ['reject', early],
    ['approve', 'pub_1'],
    ['approve', early, '--revision', 'first'],
  ])
    expect(await run(url, ...wrong)).toMatchObject({ code: 2, output: '' });
  expect(await read('cancel', early)).toMatchObject({ cancelled: 1 });
};

describe('the command line', () => {
  concurrentE2eTest(
    'lists, changes and shows the history of a thing; exit codes tell failures apart',
    async (harness) => {
      const folder = await harness.createDataDir();
      const gateway = await harness.startGateway({ DATA_DIR: folder });
      const { endpoints, channels } = await createManagementClient(gateway).seed(2, [[0]]);
      const [{ id }, channel] = [endpoints[0]!, channels[0]!.id];

      const listed = await run(gateway.url, 'channels', 'list', '--limit', '2');
      expect(listed).toMatchObject({ code: 0, errors: '' });
      expect(
        listed.output
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { id: string }).id),
      ).toContain(channel);

      const changed = await run(
        gateway.url,
        'channels',
        'update',
        channel,
        '--name',
        '42',
        '--set',
        'settings.on_doubt=resend',
      );
      expect(JSON.parse(changed.output)).toMatchObject({ id: channel, name: '42', settings: { on_doubt: 'resend' } });
      await planAndChange(gateway.url, endpoints[0]!);
      expect(await run(gateway.url, 'endpoints', 'disable', id)).toMatchObject({ code: 0 });

      const history = await run(gateway.url, 'history', 'endpoint', id);
      expect(JSON.parse(history.output)).toMatchObject({ aggregate: 'endpoint', id });
      const events = await run(gateway.url, 'history', 'events', '--aggregate', 'endpoint', '--id', id);
      expect(JSON.parse(events.output.split('\n')[0]!)).toMatchObject({ aggregate_id: id, actor: 'operator' });

      // Other users must not be able to read an export, even if they could read the file before.
      const files = ['new.ndjson', 'old.ndjson'].map((name) => join(folder, name));
      writeFileSync(files[1]!, 'an older export', { mode: 0o644 });
      for (const file of files) {
        expect(await run(gateway.url, 'history', 'export', '--secrets', 'sealed', '--out', file)).toMatchObject({
          code: 0,
        });
        expect(statSync(file).mode & 0o777).toBe(0o600);
        const lines = readFileSync(file, 'utf8').trim().split('\n');
        expect(JSON.parse(lines.at(-1)!)).toMatchObject({ last: true });
      }
      const unwritable = join(folder, 'no-folder', 'file');
      expect(await run(gateway.url, 'history', 'export', '--out', unwritable)).toMatchObject({ code: 2, output: '' });

      const missing = await run(gateway.url, 'endpoints', 'get', 'ep_none');
      expect(missing).toMatchObject({ code: 1, output: '' });
      expect(missing.errors).toMatch(/^\w+: \S/);
      expect(await run(gateway.url, 'channels', 'update', channel)).toMatchObject({ code: 2 });
      expect(await run(gateway.url, 'no-such-command')).toMatchObject({ code: 2 });
      expect(await run('http://127.0.0.1:9', 'owners', 'list')).toMatchObject({ code: 3, output: '' });
      const help = await run(gateway.url, 'channels', 'create', '--help');
      expect(help).toMatchObject({ code: 0, output: expect.stringContaining('$ crosspost channels create') });
    },
  );
});
