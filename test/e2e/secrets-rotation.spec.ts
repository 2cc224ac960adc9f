// More than 20 s: two processes start again seven times, one after the other, while all secrets are sealed again.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { keyIdOf, KeyRing, openValue } from '../../src/secrets/key-ring.js';
import { SecretVault } from '../../src/secrets/vault.js';
import { freePort } from '../support/free-port.js';
import type { Gateway } from '../support/gateway-process.js';
import { expectNothingLost } from './audit.js';
import { e2eTest } from './e2e-harness.js';
import { startLoad } from './load.js';
import { ManagementClient, OPERATOR_KEY } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
/** Kills in each of the rotations. */
const KILLS = LONG ? 25 : 2;
const ROTATIONS = LONG ? 4 : 1;
/** Number of secrets that take about as long to reseal as the time between two kills. */
const SECRETS = LONG ? 20_000 : 2_000;
const LONGEST_DELAY_MS = LONG ? 1_500 : 400;
const NAME = { HISTORY_ORIGIN: 'post.example.com/history' };

interface Job {
  readonly id: string;
  readonly state: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

const keyOf = (n: number): Buffer => Buffer.alloc(32, 7 + n);
const textOf = (key: Buffer): string => key.toString('base64');

/** Creates channels one after the other until it is ended. Returns their ids. */
const createChannels = (urls: readonly string[], owner_id: string) => {
  const created: string[] = [];
  let isOver = false;
  const work = (async () => {
    for (let n = 1; !isOver; n++) {
      const credentials = { bot_token: `${5000 + n}:${'t'.repeat(35)}`, chat_id: `-100${5_000_000 + n}` };
      const body = JSON.stringify({ owner_id, platform: 'telegram', name: `New ${n}`, credentials });
      const headers = {
        authorization: `Bearer ${OPERATOR_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': `channel ${n}`,
      };
      for (let tries = 0; ; tries++) {
        const url = `${urls[tries % urls.length]}/manage/v1/channels`;
        const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => null);
        const text = await answer?.text().catch(() => null);
        if (answer && text && answer.status === 201) {
          created.push((JSON.parse(text) as { id: string }).id);
          await sleep(20); // the machine has to publish as well
          break;
        }
        if (answer && answer.status !== 503 && answer.status !== 409) throw new Error(`${answer.status} ${text}`);
        await sleep(50); // before the client's next try
      }
    }
  })();
  work.catch(() => undefined); // it is thrown at the end
  return {
    created,
    end: async () => {
      isOver = true;
      await work;
    },
  };
};

describe('replacing SECRETS_KEY', () => {
  const random = new Random();
  e2eTest(
    `beside live traffic leaves nothing unreadable, though processes are killed ${KILLS * ROTATIONS} times (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const { DATABASE_URL } = await harness.createDatabase();
      const pool = new Pool({ connectionString: DATABASE_URL, max: 2 });
      harness.addCleanup(() => pool.end());
      const ports = [await freePort(), await freePort()];
      const urls = ports.map((port) => `http://127.0.0.1:${port}`);
      const folders = [await harness.createFolder(), await harness.createFolder()];
      const startProcess = (i: number, key: Buffer, previous: readonly Buffer[] = []): Promise<Gateway> =>
        harness.startGateway({
          ...NAME,
          DATABASE_URL,
          TELEGRAM_API_URL: telegram.url,
          PORT: String(ports[i]),
          DATA_DIR: folders[i]!,
          SECRETS_KEY: textOf(key),
          ...(previous.length > 0 && { SECRETS_KEY_PREVIOUS: previous.map(textOf).join(',') }),
        });
      const gateways = [await startProcess(0, keyOf(0)), await startProcess(1, keyOf(0))];
      const restart = async (i: number, key: Buffer, previous: readonly Buffer[] = []): Promise<void> => {
        await gateways[i]!.program.killAll();
        gateways[i] = await startProcess(i, key, previous);
      };
      const clients = urls.map((url) => new ManagementClient(() => url));
      const [manage] = clients as [ManagementClient];
      const { channels, endpoints } = await manage.seed(3, [[0, 1], [2]]);
      const { owner_id } = await manage.get<{ owner_id: string }>(`/channels/${channels[0]!.id}`);
      const vkey = (await manage.get<{ vkey: string }>('/history/log/key')).vkey;
      const vault = new SecretVault(pool, new KeyRing(keyOf(0)));
      for (let n = 0; n < SECRETS; n++) await vault.storeSecret({ n: String(n) }, 'channel-x');

      let isOver = false;
      const load = startLoad({ endpoints, random, urls: () => urls, posts: () => !isOver, longestPauseMs: 100 });
      const newcomers = createChannels(urls, owner_id);
      for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
        const [before, key] = [keyOf(rotation - 1), keyOf(rotation)];
        await restart(0, key, [before]);
        await expect(manage.post('/secrets/reseal')).rejects.toThrow('409');
        await restart(1, key, [before]);
        const job = await until('the job starts', () => manage.post<Job>('/secrets/reseal'));
        for (let kill = 0; kill < KILLS; kill++) {
          await sleep(random.below(LONGEST_DELAY_MS)); // the moment of the kill
          await restart(random.below(2), key, [before]);
        }
        const { state, result } = await until('the secrets are resealed', async () => {
          const found = await manage.get<Job>(`/jobs/${job.id}`);
          return found.state !== 'running' && found;
        });
        expect({ state, result }).toMatchObject({ state: 'done', result: { unreadable: 0 } });
        expect(await manage.get('/secrets')).toMatchObject({ needed_keys: [], sealed_otherwise: 0 });
        // From now on, the processes lack the former key, and have nothing decrypted in memory.
        await restart(0, key);
        await restart(1, key);
        const alone = new KeyRing(key);
        const { rows } = await pool.query<{ id: string; sealed: Buffer }>(
          'select secret_id as id, sealed from ops_secret',
        );
        expect(rows.length).toBeGreaterThan(SECRETS);
        for (const { id, sealed } of rows) {
          expect(keyIdOf(sealed)).toBe(alone.first.id);
          openValue(alone, id, sealed);
        }
        expect((await manage.get<{ vkey: string }>('/history/log/key')).vkey).toBe(vkey);
      }
      await newcomers.end();
      isOver = true;
      await load.done;

      await expectNothingLost(manage, telegram, load.sent, channels);
      expect(newcomers.created.length).toBeGreaterThan(0);
      for (const id of newcomers.created.slice(-20)) {
        const test = await manage.post<{ checks: { name: string; message: string }[] }>(`/channels/${id}/test`);
        expect(JSON.stringify(test)).not.toContain('decrypt');
      }
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
