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
      const gateway = await harness.startGateway({ DATA_DIR: await harness.createDataDir() });
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
