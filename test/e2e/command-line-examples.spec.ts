// More than 20 s: it runs more than 40 commands one after the other, as their help shows them.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { Client } from 'pg';
import { createProgram } from '../../src/cli/program.js';
import { readCommandLineSettings } from '../../src/config/command-line.js';
import { catalogue } from '../../src/domain/catalogue.js';
import { publication as decider } from '../../src/domain/publication/publication.decider.js';
import { AggregateStore } from '../../src/event-store/aggregate-store.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { PostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { newUuid } from '../../src/kernel/ids.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

const BIN = fileURLToPath(new URL('../../bin/crosspost.js', import.meta.url));

/** An example with the path of its command, such as `channels create`. */
interface Example {
  readonly path: string;
  readonly line: string;
}

/** Returns the help of a command as `--help` prints it. */
const helpOf = (command: Command): string => {
  let help = '';
  command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
  return help;
};

/** Collects the examples of a command and of those below it. */
const examplesOf = (command: Command, path: readonly string[] = []): Example[] => {
  const lines = helpOf(command)
    .split('\n')
    .flatMap((line) => /^ {2}\$ (.*)/.exec(line)?.[1] ?? []);
  if (lines.length === 0) throw new Error(`${path.join(' ')} has no example`);
  const own = path.length === 0 ? [] : lines.map((line) => ({ path: path.join(' '), line }));
  return [...own, ...command.commands.flatMap((one) => examplesOf(one, [...path, one.name()]))];
};

/** Deletions come last, each before what it depends on. */
const DELETIONS = ['keys', 'webhooks', 'endpoints', 'projects', 'channels', 'owners'].map((name) => `${name} delete`);
const runExample = (line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve) => {
    const script = `set -u; crosspost() { "${process.execPath}" "${BIN}" "$@"; }\n${line}`;
    execFile('/bin/sh', ['-c', script], { cwd, env: { PATH: process.env.PATH, ...env } }, (error, _, stderr) =>
      resolve(error ? `exit ${error.code}: ${stderr}` : 'done'),
    );
  });

const withClient = async (connectionString: string, use: (client: Client) => Promise<unknown>): Promise<void> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
};

describe('the command line', () => {
  e2eTest('does what each example says that --help shows', async (harness) => {
    const telegram = await harness.startTelegram();
    const receiver = await WebhookReceiver.start();
    harness.addCleanup(() => receiver.close());
    const database = await harness.createDatabase();
    const gateway = await harness.startGateway({
      ...database,
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
      MINUTE_MS: '1000', // the spacing of the posts that a pause held
    });
    const client = createManagementClient(gateway);
    const { endpoints } = await client.seed(1, [[0]]);
    const endpoint = endpoints[0]!;
    const [CHANNEL, { owner_id, project_ids }] = [
      endpoint.channels[0]!.id,
      await client.get<{ owner_id: string; project_ids: string[] }>(`/endpoints/${endpoint.id}`),
    ];
    /** Sends a post and returns its publication once it is in a state. */
    const post = async (state: string): Promise<{ readonly POST: string; readonly PUBLICATION: string }> => {
      const id = postIdOf(await publish(gateway.url, endpoint, { text: state }));
      const found = await until(`${id} is ${state}`, async () => {
        const [publication] = (await client.findPost(id)).publications;
        return publication?.state === state && publication;
      });
      return { POST: id, PUBLICATION: found.id };
    };
    const refuse = async (description: string): Promise<void> => {
      // An earlier example may have queued a publication, which would be refused instead.
      await until('nothing is being published', async () => {
        const receipts = await client.listReceipts(CHANNEL);
        return receipts.every(({ state }) => state !== 'queued' && state !== 'publishing');
      });
      const body = { ok: false, error_code: 400, description };
      await telegram.control.addFault({ mode: 'answer', method: 'sendMessage', status: 400, body });
    };
    const fail = async () => {
      await refuse('Bad Request: message text is wrong');
      return post('failed');
    };
    const cwd = await harness.createFolder();
    const plan = async (to = endpoint) => {
      const publish_at = new Date(Date.now() + 86_400_000).toISOString();
      const id = postIdOf(await publish(gateway.url, to, { text: 'planned', publish_at }));
      await until('the post is shown', () => client.findPost(id));
      return { POST: id };
    };
    const requireApproval = async () => {
      const settings = { owner_id, project_ids, mode: 'live', min_interval: 0, requires_approval: true };
      const { slug, token } = await client.post<{ slug: string; token: string }>('/endpoints', settings);
      return plan({ ...endpoint, path: `/v1/webhooks/${slug}`, token });
    };
    const queue = async () => {
      await client.post(`/channels/${CHANNEL}/pause`, { minutes: 1_440 });
      return post('queued');
    };
    /** Reports a published post once more, as a worker does that slept through its lease. */
    const duplicate = async () => {
      const ids = await post('published');
      const store = new PostgresEventStore({ connectionString: database.DATABASE_URL });
      const publicationId = ids.PUBLICATION;
      const late = { attempt: 1, at: Date.now(), messageIds: ['999'], urls: [], warnings: [] };
      const origin = { actor: 'system', requestId: 'r', causationId: 'r', correlationId: 'r', clientAddress: null };
      await new AggregateStore(store, new EventCodec(catalogue)).execute(
        decider,
        publicationId,
        { ...late, type: 'MarkPublished', publicationId, postId: ids.POST, channelId: CHANNEL },
        { commandId: newUuid(), at: Date.now(), ...origin },
      );
      await store.close();
      await until('the duplicate is shown', async () => {
        const path = `/posts/${ids.POST}`;
        const [shown] = (await client.get<{ publications: { duplicates: object[] }[] }>(path)).publications;
        return shown!.duplicates.length > 0;
      });
      return ids;
    };
    const stopProjection = async () => {
      await until('the projection is level', async () => {
        const { lag_events } = await client.get<{ lag_events: number }>('/projections/posts');
        return lag_events === 0;
      });
      // No event of a real gateway stops a projection, so this makes its checkpoint say that one has.
      await withClient(database.DATABASE_URL, (db) =>
        db.query(`update ops_checkpoint set error = 'boom', failure = $1 where name = 'posts'`, [
          { event_id: 'damaged', position: '1', type: 'PostAccepted' },
        ]),
      );
      return {};
    };
    /** State that an example needs. */
    const before: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
      resend: fail,
      dismiss: fail,
      'dismiss-duplicate': duplicate,
      cancel: queue,
      reschedule: () => plan(),
      edit: async () => {
        await writeFile(join(cwd, 'post.json'), JSON.stringify({ text: 'edited' }));
        return plan();
      },
      approve: requireApproval,
      reject: requireApproval,
      'projections discard': async () => {
        const job = await client.post<{ id: string }>('/projections/posts/rebuild', { promote: 'manual' });
        await until('the candidate is level', async () => {
          const { state } = await client.get<{ state: string }>(`/jobs/${job.id}`);
          return state === 'done';
        });
        return {};
      },
      'channels retry': async () => {
        await client.post(`/channels/${CHANNEL}/resume`);
        await refuse('Bad Request: chat not found');
        await publish(gateway.url, endpoint, { text: 'to no chat' });
        await until('the channel needs attention', async () => {
          const { status } = await client.get<{ status: string }>(`/channels/${CHANNEL}`);
          return status === 'needs_attention';
        });
        return {};
      },
      'history import': async () => {
        const empty = { ...(await harness.createDatabase()), DATA_DIR: await harness.createFolder() };
        return { CROSSPOST_URL: (await harness.startGateway(empty)).url };
      },
      'sagas skip': async () => {
        // No event of a real gateway stops a saga, so this adds the checkpoint of a stopped saga that no process runs.
        await withClient(database.DATABASE_URL, (db) =>
          db.query(
            `insert into ops_checkpoint (name, version, code, position, error, failure)
             values ('saga/elsewhere', 1, 1, 0, 'boom', $1)`,
            [{ event_id: 'damaged', position: '1', type: 'PostAccepted', at: null }],
          ),
        );
        return { SAGA: 'elsewhere', POSITION: '1' };
      },
      'projections retry': stopProjection,
      'projections skip': stopProjection,
    };
    const output = { project_id: project_ids[0]!, url: receiver.url, kinds: ['post.published'] };
    const env = {
      CROSSPOST_URL: gateway.url,
      CROSSPOST_KEY: OPERATOR_KEY,
      OWNER: owner_id,
      CHANNEL,
      PROJECT: project_ids[0]!,
      ENDPOINT: endpoint.id,
      TOKEN: endpoint.token,
      BOT_TOKEN: `1001:${'t'.repeat(35)}`,
      WEBHOOK_URL: receiver.url,
      WEBHOOK: (await client.post<{ id: string }>('/webhook-outputs', output)).id,
      KEY: (await client.post<{ id: string }>('/keys', { owner_id, name: 'Anna', scopes: ['post'] })).id,
      EVENT: (await client.get<{ items: { id: string }[] }>('/history/events?limit=1')).items[0]!.id,
      ...(await post('published')),
    };
    const program = createProgram(readCommandLineSettings(), '');
    const examples = examplesOf(program);
    const inOrder = [
      ...examples.filter(({ path }) => !DELETIONS.includes(path)),
      ...DELETIONS.flatMap((deletion) => examples.filter(({ path }) => path === deletion)),
    ];
    const results: string[] = [];
    for (const { path, line } of inOrder)
      results.push(`${line}: ${await runExample(line, cwd, { ...env, ...(await before[path]?.()) })}`);
    expect(results.filter((result) => !result.endsWith(': done'))).toEqual([]);
    expect(results.length).toBeGreaterThan(40);
    expect(await readFile(join(cwd, 'crosspost.bash'), 'utf8')).toContain('complete -F _crosspost crosspost');
  });
});
