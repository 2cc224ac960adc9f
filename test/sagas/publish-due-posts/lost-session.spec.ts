import { until } from '../../e2e/until.js';
import { PublishingHarness } from './publishing-harness.js';
import type { PublicationView } from './test-channel.js';

let harness: PublishingHarness;
beforeAll(async () => (harness = await PublishingHarness.start()));
afterAll(() => harness.stop());

/** Ends the session of the worker that holds a channel. It loses its leases, and registers again. */
const endSession = async (channelId: string): Promise<void> => {
  const { rowCount } = await harness.infrastructure.pool.query(
    `select pg_terminate_backend(k.pid) from pg_locks k
       join ops_worker w on k.objid = w.lock_key::bigint::oid join ops_lease l using (worker_id)
     where k.locktype = 'advisory' and k.classid = 7001 and l.name like '%' || $1`,
    [channelId],
  );
  expect(rowCount).toBe(1);
};

it('waits for the answer that a worker still gets which has lost its leases with its session', async () => {
  const workers = [await harness.startWorker(), await harness.startWorker()];
  const channel = await harness.createChannel('telegram');
  await channel.control.setDelay(6_000);
  const first = await channel.publish({ text: 'first' });
  const isCalled = async (): Promise<boolean> =>
    (await channel.control.listCalls({ method: 'sendMessage' })).items.length > 0;
  await until('the network is called', isCalled);
  const next = await channel.publish({ text: 'next' });
  await endSession(channel.channelId);
  await channel.control.setDelay(0);
  const isOpen = ({ state }: PublicationView): boolean => state === 'queued' || state === 'publishing';
  const { attempts } = await channel.waitUntil(first, 'has ended', (publication) => !isOpen(publication));
  expect(attempts).toMatchObject([{ outcome: 'published' }]);
  await channel.waitUntil(next, 'is published', ({ state }) => state === 'published');
  const events = await harness.readEvents(`publication-${first}`);
  expect(events.map(({ type }) => type)).toEqual(['PublicationStarted', 'PublicationSucceeded']);
  for (const worker of workers) await worker.stop();
});

it('makes no call if it has lost its leases since it claimed the publication', async () => {
  let onStarted: (() => Promise<void>) | null = null;
  const worker = await harness.startWorker({
    wrapEventStore: (store) => {
      const append = store.append.bind(store);
      store.append = async (stream, ...rest) => {
        const appended = await append(stream, ...rest);
        if (stream.startsWith('publication-')) await onStarted?.();
        return appended;
      };
      return store;
    },
  });
  const { leases } = worker.infrastructure;
  const channel = await harness.createChannel('telegram');
  const id = leases.workerId;
  onStarted = async () => {
    onStarted = null;
    await endSession(channel.channelId);
    await until('it has registered again', () => leases.workerId !== null && leases.workerId !== id);
  };
  const post = await channel.publish({ text: 'once' });
  const { attempts } = await channel.waitUntil(post, 'is published', ({ state }) => state === 'published');
  expect(attempts).toMatchObject([{ outcome: 'postponed', error: { code: 'interrupted' } }, { outcome: 'published' }]);
  const { items } = await channel.control.listCalls({ method: 'sendMessage' });
  expect(items.filter((call) => call.channel === channel.chat)).toHaveLength(1);
  await worker.stop();
});
