import { type ManagementHarness, startHarness } from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import { type EventStoreServer, startEventStore } from '../support/event-store-server.js';
import {
  callAs,
  exportHistory,
  fill,
  importHistory,
  publishTheRest,
  readCheckpoint,
  readViews,
  SETTINGS,
  verify,
} from './transfer-harness.js';

let server: EventStoreServer;
const gateways: ManagementHarness[] = [];
beforeEach(async () => {
  server = await startEventStore();
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop();
  await server.stop();
});

const start = async (store: string, env: Readonly<Record<string, string>>): Promise<ManagementHarness> => {
  const url: Record<string, string> = store === 'KurrentDB' ? { EVENT_STORE_URL: server.connectionString } : {};
  const gateway = await startHarness({ ...SETTINGS, ...url, ...env });
  gateways.push(gateway);
  return gateway;
};

it.each([
  ['PostgreSQL', 'KurrentDB'],
  ['KurrentDB', 'PostgreSQL'],
])(
  'a history moves from %s to %s: broken off and sent again, whole, and nothing is published twice',
  async (from, to) => {
    const source = await start(from, {});
    const setting = await fill(source);
    const target = await start(to, { TELEGRAM_API_URL: source.telegramUrl });
    const checkpoint = await readCheckpoint(source);
    const lines = await exportHistory(source, '?secrets=sealed');
    const shown = await readViews(source, setting);
    await importHistory(target, await exportHistory(source, '?content_keys=sealed')).expect(200);

    const { body: part } = await importHistory(target, lines.slice(0, Math.floor(lines.length / 2))).expect(200);
    expect(part).toMatchObject({ complete: false });
    const { body: whole } = await importHistory(target, lines).expect(200);
    expect(whole).toMatchObject({ complete: true });
    await until('the views are level', async () => {
      const { body } = await callAs(target, setting.owner).get('/posts');
      return body.items?.length === 3;
    });
    expect(await readViews(target, setting)).toEqual(shown);
    expect(await verify(target, checkpoint)).toMatchObject({ broken: [], checkpoint: 'consistent' });
    expect(await source.telegram.readLedger({ channel: setting.chatId })).toHaveLength(2);
    expect(await publishTheRest(target, source, setting)).toEqual(['one', 'two', 'three', 'four']);
  },
);
