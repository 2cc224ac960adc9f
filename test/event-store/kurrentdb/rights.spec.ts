import { BEGINNING, StorageFailed } from '../../../src/event-store/port.js';
import { until } from '../../e2e/until.js';
import { ids, newEvents, newStream } from '../contract/events.js';
import { Subscriber } from '../contract/subscriber.js';
import { kurrentServers } from './servers.js';

describe('a user of the event store without rights', () => {
  const { startServer, openStore } = kurrentServers();
  const DENIED = /the event store refuses the user of EVENT_STORE_URL\. Correct .* \(ACCESS_DENIED\)$/;

  it('receives a sentence from every call, and the store knows that appends are refused until one is accepted', async () => {
    const server = await startServer();
    const store = openStore(server);
    const stream = newStream();
    await store.append(stream, 'noStream', newEvents(1));
    await server.sendCommand({ command: 'deny', calls: ['append', 'read'] });
    const calls = [
      () => store.append(stream, 0n, newEvents(1)),
      () => store.readStream(stream),
      () => store.readAll({ after: BEGINNING, limit: 10 }),
      () => store.readHead(),
      () => store.setRetention(stream, 3),
      () => store.deleteStream(stream),
    ];
    for (const call of calls) {
      const error = await call().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(StorageFailed);
      expect((error as Error).message).toMatch(DENIED);
    }
    expect(store.appendFailure).toMatchObject({ code: 'ACCESS_DENIED', message: expect.stringMatching(DENIED) });
    const { events: before } = await server.sendCommand({ command: 'report' });
    store.checkAppends();
    await server.sendCommand({ command: 'deny', calls: [] });
    await until('the store has found out that appends are accepted', () => {
      store.checkAppends();
      return store.appendFailure === null;
    });
    expect((await server.sendCommand({ command: 'report' })).events).toBe(before); // the probe writes nothing
    const events = newEvents(1);
    await store.append(stream, 0n, events);
    expect(ids(await store.readStream(stream))[1]).toBe(events[0]!.id);
  });

  it('receives the sentence when it subscribes, and events once it may', async () => {
    const server = await startServer();
    const store = openStore(server);
    const events = newEvents(1);
    await store.append(newStream(), 'noStream', events);
    await server.sendCommand({ command: 'deny', calls: ['subscribe'] });
    const subscriber = new Subscriber(store, { after: BEGINNING });
    await subscriber.waitUntil(({ drops }) => drops.length > 0);
    expect(subscriber.drops[0]!.message).toMatch(DENIED);
    await server.sendCommand({ command: 'deny', calls: [] });
    await subscriber.waitForEvent(events[0]!.id);
    await subscriber.stop();
  });
});
