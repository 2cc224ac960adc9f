// More than 20 s: gateways start on wrong and right stores, one after the other, and wait until each is checked.
import { KurrentEventStore } from '../../src/event-store/kurrentdb/kurrent-event-store.js';
import { BEGINNING } from '../../src/event-store/port.js';
import type { EventStoreServer } from '../support/event-store-server.js';
import { type Gateway, Program } from '../support/gateway-process.js';
import { postIdOf, publish } from './client.js';
import { concurrentE2eTest, createManagementClient, type E2eHarness, type Network } from './e2e-harness.js';
import type { Endpoint, ManagementClient } from './management-client.js';
import { until } from './until.js';

/** Reads the identity of a store and the ids of all events in it, except the server's own. */
const readContents = async ({ connectionString }: EventStoreServer) => {
  const store = new KurrentEventStore({ connectionString });
  try {
    const { id } = await store.readIdentity();
    return { id, events: (await store.readAll({ after: BEGINNING, limit: 10_000 })).map(({ id: event }) => event) };
  } finally {
    await store.close();
  }
};

/** Sets up a network, a database, and the settings of gateways on them. */
const setUp = async (harness: E2eHarness) => {
  const telegram = await harness.startTelegram();
  const settings = {
    ...(await harness.createDatabase()),
    DATA_DIR: await harness.createFolder(),
    TELEGRAM_API_URL: telegram.url,
  };
  return { telegram, settings };
};

const publishAndWait = async (gateway: Gateway, endpoint: Endpoint, text: string): Promise<string> => {
  const answer = await publish(gateway.url, endpoint, { text });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  const id = postIdOf(answer);
  const manage = createManagementClient(gateway);
  await until('it is published', async () => isPublished(manage, id));
  return id;
};

const isPublished = async (manage: ManagementClient, id: string): Promise<boolean> =>
  (await manage.findPost(id)).publications.every(({ state }) => state === 'published');

const readReadiness = async ({ url }: Gateway) => {
  const answer = await fetch(`${url}/readyz`);
  const { checks, event_store } = (await answer.json()) as {
    checks: Readonly<Record<string, string>>;
    event_store: { id: string; lag: object; lost_connections: number };
  };
  return { status: answer.status, check: checks.event_store, store: event_store };
};

const failToStart = async (harness: E2eHarness, settings: Readonly<Record<string, string>>): Promise<string> => {
  const error = await harness.startGateway(settings).then(
    () => 'none: it started',
    (thrown: Error) => thrown.message,
  );
  expect(error).toContain('"code":1');
  expect(error).not.toMatch(/^\s+at /m);
  return error;
};

/** Returns the texts that readers of a chat see, in order. */
const readTexts = async ({ control }: Network, channel: string): Promise<readonly (string | undefined)[]> =>
  (await control.readLedger({ channel })).map(({ text }) => text);

/** Runs `projections reset --to-store`. Returns its output. */
const resetToStore = async (harness: E2eHarness, settings: Readonly<Record<string, string>>): Promise<string> => {
  const program = Program.spawn('reset', ['main.js', 'projections', 'reset', '--to-store'], {
    ...settings,
    DEMO: 'off',
  });
  harness.addCleanup(() => program.killAll());
  const { code } = await program.exited;
  await program.closed;
  if (code !== 0) throw new Error(program.log);
  return program.output;
};

describe('an event store that the database does not belong to', () => {
  concurrentE2eTest('is refused at the start in words: empty, another, or newly set', async (harness) => {
    const { settings } = await setUp(harness);
    const [first, second] = [await harness.startEventStore(), await harness.startEventStore()];
    const onFirst = { ...settings, EVENT_STORE_URL: first.connectionString };
    const onSecond = { ...settings, EVENT_STORE_URL: second.connectionString };
    const gateway = await harness.startGateway(onFirst);
    const { endpoints } = await createManagementClient(gateway).seed(1, [[0]]);
    await publishAndWait(gateway, endpoints[0]!, 'one');
    const { store } = await readReadiness(gateway);
    await gateway.program.killAll();

    const empty = await failToStart(harness, onSecond);
    expect(empty).toContain(`The event store at ${second.connectionString} is empty or has never been used`);
    expect(empty).toContain(store.id);
    expect(empty).toContain('Set EVENT_STORE_URL to the right event store');
    expect(empty).toContain('projections reset --to-store');
    expect(await readContents(second)).toEqual({ id: null, events: [] });

    const inDatabase = await failToStart(harness, settings);
    expect(inDatabase).toMatch(/is empty or has never been used, but the read models/);

    const other = await harness.startGateway({ ...onSecond, ...(await harness.createDatabase()) });
    const { id: otherId } = (await readReadiness(other)).store;
    await other.program.killAll();
    const another = await failToStart(harness, onSecond);
    expect(another).toContain(`it is ${otherId}, but the read models and sagas have read ${store.id}`);
  });

  concurrentE2eTest('stops a running gateway until the right one is back, and nothing is lost', async (harness) => {
    const { telegram, settings } = await setUp(harness);
    const server = await harness.startEventStore();
    const gateway = await harness.startGateway({ ...settings, EVENT_STORE_URL: server.connectionString });
    const manage = createManagementClient(gateway);
    const { endpoints, channels } = await manage.seed(1, [[0]]);
    const [endpoint, chat] = [endpoints[0]!, channels[0]!.chatId];
    await publishAndWait(gateway, endpoint, 'one');
    const whole = await server.backUp();

    await server.restore(null);
    const before = await readContents(server);
    await until('it is noticed', async () =>
      /is empty or has never been used/.test((await readReadiness(gateway)).check ?? ''),
    );
    const refused = await publish(gateway.url, endpoint, { text: 'refused' });
    expect({ status: refused.status, body: refused.body }).toMatchObject({ status: 503 });
    expect((await readReadiness(gateway)).status).toBe(503);
    expect(await readContents(server)).toEqual(before);
    expect(before).toEqual({ id: null, events: [] });
    await server.restore(whole);
    await until('the right store answers again', async () => (await readReadiness(gateway)).check === 'ok');
    await publishAndWait(gateway, endpoint, 'two');
    expect(await readTexts(telegram, chat)).toEqual(['one', 'two']);
    const outages = gateway.program.log
      .split('\n')
      .filter((line) => line.includes('"lost the connection to the event store"'));
    expect(outages).toHaveLength(2);
  });

  concurrentE2eTest(
    'can replace it: a reset builds everything from it, and publishes nothing twice',
    async (harness) => {
      const { telegram, settings } = await setUp(harness);
      const server = await harness.startEventStore();
      const onServer = { ...settings, EVENT_STORE_URL: server.connectionString };
      let gateway = await harness.startGateway(onServer);
      const { endpoints, channels } = await createManagementClient(gateway).seed(1, [[0]]);
      const [endpoint, channel] = [endpoints[0]!, channels[0]!];
      await telegram.control.setDelay(20_000); // longer than everything until the backup takes
      const answers = [await publish(gateway.url, endpoint, { text: 'one' })];
      answers.push(await publish(gateway.url, endpoint, { text: 'two' }));
      const backup = await server.backUp(); // neither outcome is in it: the second post waits for the first
      await until('the first call has begun', async () => {
        const { items } = await telegram.control.listCalls({ method: 'sendMessage' });
        return items.length > 0;
      });
      await telegram.control.setDelay(0);
      const ids = answers.map(postIdOf);
      await until('both are published', async () => {
        const manage = createManagementClient(gateway);
        return (await Promise.all(ids.map((id) => isPublished(manage, id)))).every(Boolean);
      });
      await expect(resetToStore(harness, onServer)).rejects.toThrow(/in use by 1 of the gateway's processes/);
      await gateway.program.killAll();
      await server.restore(backup);

      expect(await resetToStore(harness, onServer)).toMatch(
        /The outcomes of 2 publications were taken over; 0 of these publications are in doubt/,
      );
      gateway = await harness.startGateway(onServer);
      await until('it is ready', async () => (await readReadiness(gateway)).status === 200);
      await publishAndWait(gateway, endpoint, 'three');
      expect(await readTexts(telegram, channel.chatId)).toEqual(['one', 'two', 'three']);
      const manage = createManagementClient(gateway);
      for (const id of ids) expect(await isPublished(manage, id)).toBe(true);
    },
  );
});
