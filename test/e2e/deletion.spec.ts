// More than 20 s: an owner is deleted again and again, with a kill and a restart in the middle of each deletion.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { BEGINNING } from '../../src/event-store/port.js';
import { freePort } from '../support/free-port.js';
import { publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const KILLS = LONG ? 12 : 3;
const ROUNDS = LONG ? 8 : 1;
const CHANNELS = 6;
const ENDPOINTS = [[0, 1, 2, 3, 4, 5], [0, 1], [2, 3, 4], [5]];
const POSTS = 12;
/** Longest time in ms from the request to the kill: the deletion takes about as long. */
const LONGEST_MS = 250;

const random = new Random();

e2eTest(
  `an owner's deletion is complete after kills at ${ROUNDS} × ${KILLS} random moments, and nothing queued is sent (seed ${random.seed})`,
  async (harness) => {
    const telegram = await harness.startTelegram();
    const database = await harness.createDatabase();
    const settings = {
      ...database,
      DATA_DIR: await harness.createFolder(),
      PORT: String(await freePort()),
      TELEGRAM_API_URL: telegram.url,
    };
    let gateway = await harness.startGateway(settings);
    const manage = createManagementClient(gateway);
    const client = new Client(database.DATABASE_URL);
    await client.connect();
    harness.addCleanup(() => client.end());
    const store = await harness.openEventStore(settings);
    const listEvents = (type: string) => store.readAll({ after: BEGINNING, types: [type], limit: 100_000 });
    const countStarts = async (): Promise<number> => (await listEvents('PublicationStarted')).length;
    const isDeleted = async (ownerId: string): Promise<boolean> =>
      (await listEvents('OwnerDeleted')).some(({ stream }) => stream === `owner-${ownerId}`);
    const countSecrets = async (): Promise<number> =>
      Number((await client.query<{ n: string }>('select count(*) as n from ops_secret')).rows[0]!.n);
    const requestDeletion = (ownerId: string): Promise<Response> =>
      fetch(`${gateway.url}/manage/v1/owners/${ownerId}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
      });

    for (let round = 0; round < ROUNDS; round++) {
      await telegram.control.setDelay(100);
      const { endpoints } = await manage.seed(CHANNELS, ENDPOINTS);
      const { items } = await manage.get<{ items: { id: string }[] }>('/owners');
      const ownerId = items[0]!.id;
      await manage.patch(`/owners/${ownerId}`, { notice_chat: { bot_token: '1:notices', chat_id: '-7' } });
      for (let i = 0; i < POSTS; i++)
        await Promise.all(endpoints.map((endpoint) => publish(gateway.url, endpoint, { text: `${round} ${i}` })));

      // Number of starts once the deletion is in the log, after which nothing may be sent.
      let startsBefore: number | null = null;
      for (let kill = 0; kill < KILLS; kill++) {
        const answer = requestDeletion(ownerId).catch(() => null);
        await sleep(random.below(LONGEST_MS));
        await gateway.program.kill();
        await answer;
        if (await isDeleted(ownerId)) startsBefore ??= await countStarts();
        gateway = await harness.startGateway(settings);
      }
      if (!(await isDeleted(ownerId))) expect((await requestDeletion(ownerId)).status).toBe(204);

      await until('nothing of the owner is left', async () => {
        const lists = await Promise.all(
          ['channels', 'projects', 'endpoints'].map((kind) =>
            manage.get<{ items: unknown[] }>(`/${kind}?owner_id=${ownerId}`),
          ),
        );
        return lists.every(({ items: left }) => left.length === 0);
      });
      expect((await requestDeletion(ownerId)).status).toBe(404);
      for (const state of ['queued', 'publishing'])
        await until(`nothing is ${state}`, async () => {
          const list = await manage.get<{ items: unknown[] }>(`/posts?owner_id=${ownerId}&state=${state}`);
          return list.items.length === 0;
        });
      // The outcomes of calls in progress are recorded; nothing new was started after the kill.
      if (startsBefore !== null) expect(await countStarts()).toBe(startsBefore);
      await until('its secrets are erased', async () => (await countSecrets()) === 0);
    }
  },
  LONG ? 1_800_000 : undefined,
);
