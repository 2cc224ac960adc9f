import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../support/gateway-process.js';
import { concurrentE2eTest, createManagementClient } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';

const run = async (url: string, ...args: readonly string[]) => {
  const program = Program.spawn('crosspost', ['cli/main.js', ...args], {
    CROSSPOST_URL: url,
    CROSSPOST_KEY: OPERATOR_KEY,
  });
  const { code } = await program.exited;
  await program.closed;
  return { code, output: program.output, errors: program.log };
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
      expect(await run(gateway.url, 'endpoints', 'disable', id)).toMatchObject({ code: 0 });

      const history = await run(gateway.url, 'history', 'endpoint', id);
      expect(JSON.parse(history.output)).toMatchObject({ aggregate: 'endpoint', id });
      const events = await run(gateway.url, 'history', 'events', '--aggregate', 'endpoint', '--id', id);
      expect(JSON.parse(events.output.split('\n')[0]!)).toMatchObject({ aggregate_id: id, actor: 'operator' });

      // Other users may not read an export, also if they could read the file before.
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
