// More than 20 s: an import is broken off by kills, and the gateway starts after each.
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.js';
import { expectNothingLost } from './audit.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { sendPost } from './gateway-processes.js';
import { startLoad } from './load.js';
import { ManagementClient, OPERATOR_KEY } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const KILLS = LONG ? 30 : 3;
const POSTS = LONG ? 1_500 : 300;
/** Longest time before a kill, in ms: an import takes about as long. */
const LONGEST_DELAY_MS = LONG ? 3_000 : 800;
/** The log has the same name on both gateways. */
const NAME = { HISTORY_ORIGIN: 'post.example.com/history' };
/**
 * Minutes of pauses pass quickly: this pause ends after 40 s, when the former gateway has stopped on a busy machine
 * too.
 */
const [MINUTE_MS, PAUSE_MINUTES] = ['400', 100];
const BIN = fileURLToPath(new URL('../../bin/crosspost.js', import.meta.url));

interface Job {
  readonly id: string;
  readonly state: string;
  readonly result: object | null;
}

/** Runs the command line until it ends. Returns what it printed; rejects with what it reported. */
const runCommandLine = (url: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { env: { PATH: process.env.PATH, CROSSPOST_URL: url, CROSSPOST_KEY: OPERATOR_KEY } };
    execFile(process.execPath, [BIN, ...args], options, (error, printed, reported) =>
      error ? reject(new Error(`exit ${error.code}: ${printed}${reported}`)) : resolve(printed),
    );
  });

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

describe('an import of a history', () => {
  const random = new Random();
  e2eTest(
    `goes on and publishes once, though gateway and database are killed ${KILLS} times (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
      const common = { SECRETS_KEY, TELEGRAM_API_URL: telegram.url, ...NAME, MINUTE_MS };

      const source = await harness.startGateway({ ...common, DATA_DIR: await harness.createDataDir() });
      const before = createManagementClient(source);
      const { channels, endpoints } = await before.seed(3, [[0, 1], [2]]);
      const load = startLoad({ endpoints: [endpoints[0]!], random, urls: () => [source.url], posts: POSTS });
      await load.done;
      const sent = [...load.sent];
      await expectNothingLost(before, telegram, sent, channels);
      // The test ends the first pause after the import; the second one ends by itself in the meantime.
      await before.post(`/channels/${channels[0]!.id}/pause`, { minutes: 1_000 });
      await before.post(`/channels/${channels[2]!.id}/pause`, { minutes: PAUSE_MINUTES });
      for (let n = 0; n < 5; n++)
        for (const [i, endpoint] of endpoints.entries())
          sent.push(await sendPost(source.url, endpoint, `waiting ${n} at ${i}`));
      // The new gateway publishes again whatever was published after the export (docs/moving.md).
      await expectNothingLost(before, telegram, sent, [channels[1]!]);
      const folder = await harness.createFolder();
      const [file, keysFile] = [join(folder, 'history.ndjson'), join(folder, 'keys.ndjson')];
      await until('the history is exported', async () => {
        const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
        const answer = await fetch(`${source.url}/manage/v1/history/export?secrets=sealed`, { headers });
        const keys = await fetch(`${source.url}/manage/v1/history/export?content_keys=sealed`, { headers });
        if (!answer.ok || !keys.ok) return false;
        await writeFile(file, await answer.text());
        await writeFile(keysFile, await keys.text());
        return true;
      });
      await source.program.terminate();
      expect(sent.length).toBeGreaterThan(POSTS);

      const DATA_DIR = await harness.createDataDir();
      const settings = { ...common, DATA_DIR, PORT: String(await freePort()) };
      let target = await harness.startGateway(settings);
      const { url } = target;
      const manage = new ManagementClient(() => url);
      const imported = runCommandLine(url, ['history', 'import', file, '--keys', keysFile]);
      imported.catch(() => undefined); // it is thrown when it is waited for
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(random.below(LONGEST_DELAY_MS)); // the moment of the kill
        await target.program.killAll();
        target = await harness.startGateway(settings);
      }
      expect(JSON.parse(await imported)).toMatchObject({ complete: true });
      expect(await listFiles(join(DATA_DIR, 'imports'))).toEqual([]);

      await until('the read models have the channel', () => manage.get(`/channels/${channels[0]!.id}`));
      await manage.post(`/channels/${channels[0]!.id}/resume`);
      await expectNothingLost(manage, telegram, sent, channels);
      const { id } = await manage.post<Job>('/history/verify');
      const verification = await until('the verification has ended', async () => {
        const job = await manage.get<Job>(`/jobs/${id}`);
        return job.state !== 'running' && job;
      });
      expect(verification).toMatchObject({ state: 'done', result: { broken: [] } });
    },
    LONG ? 1_800_000 : undefined,
  );
});
