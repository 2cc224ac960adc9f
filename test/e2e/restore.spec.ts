// More than 20 s: gateways work, lose events, and are killed while they recover.
import { setTimeout as sleep } from 'node:timers/promises';
import { backUpDatabase } from '../support/database-backup.js';
import { concurrentE2eTest, createManagementClient } from './e2e-harness.js';
import {
  expectRecovered,
  isPublished,
  KILLS,
  ON_WALL,
  random,
  readRecovery,
  readTexts,
  settle,
  setUp,
  startWithKills,
  waitUntilMarked,
  workAfter,
  workBefore,
} from './restore-scenario.js';
import { until } from './until.js';

describe('a restore of an older backup', () => {
  concurrentE2eTest(
    `of PostgreSQL publishes nothing twice and nothing cancelled, killed ${KILLS} times in between (seed ${random.seed})`,
    async (harness) => {
      const { telegram, database, settings } = await setUp(harness);
      let gateway = await harness.startGateway(settings);
      const work = await workBefore(gateway);
      const backup = await backUpDatabase(database.DATABASE_URL);
      harness.addCleanup(() => backup.drop());
      await workAfter(gateway, work);
      expect(await readTexts(telegram)).toEqual(ON_WALL);
      await sleep(1_100); // the newest event is noted once a second
      await gateway.program.killAll();
      await backup.restore();

      gateway = await startWithKills(harness, settings);
      // In doubt: queued, planned, cancelled, and the one that was revised. Held: two for later, and the cancelled one.
      await expectRecovered(gateway, telegram, work, { noticed_by: 'start', planned: 3, in_doubt: 4 });
    },
  );

  concurrentE2eTest('on a machine without a note is handled with RESTORED_AT, once for each value', async (harness) => {
    const { telegram, database, settings } = await setUp(harness);
    let gateway = await harness.startGateway(settings);
    const work = await workBefore(gateway);
    const backup = await backUpDatabase(database.DATABASE_URL);
    harness.addCleanup(() => backup.drop());
    await workAfter(gateway, work);
    await gateway.program.killAll();

    for (const time of ['first', 'again']) {
      await backup.restore();
      const restored = { ...settings, DATA_DIR: await harness.createFolder(), RESTORED_AT: '2026-11-02T10:00:00Z' };
      gateway = await harness.startGateway(restored);
      await waitUntilMarked(gateway);
      const manage = createManagementClient(gateway);
      const recovery = await readRecovery(manage);
      expect(recovery).toMatchObject({
        state: 'held',
        noticed_by: 'setting',
        restored_at: '2026-11-02T10:00:00.000Z',
        lost_events: null,
        planned: 3,
        in_doubt: 4,
      });
      if (time === 'again') break;
      await settle(gateway, { planned: 'keep', in_doubt: 'dismiss' });
      await gateway.program.killAll();
      gateway = await harness.startGateway(restored);
      expect(await readRecovery(createManagementClient(gateway))).toMatchObject({ state: 'none' });
      await gateway.program.killAll();
    }
    expect(await readTexts(telegram)).toEqual(ON_WALL);
  });

  concurrentE2eTest(
    `of KurrentDB beside a newer PostgreSQL takes over what it knows, killed ${KILLS} times (seed ${random.seed})`,
    async (harness) => {
      const server = await harness.startEventStore();
      const { telegram, settings } = await setUp(harness, { EVENT_STORE_URL: server.connectionString });
      let gateway = await harness.startGateway(settings);
      const work = await workBefore(gateway);
      const backup = await server.backUp();
      await workAfter(gateway, work);
      await gateway.program.killAll();
      await server.restore(backup);

      gateway = await startWithKills(harness, settings);
      const manage = createManagementClient(gateway);
      await waitUntilMarked(gateway);
      for (const id of [work.done, work.queued, work.planned, work.revised])
        expect(await isPublished(manage, id)).toBe(true);
      for (const id of [work.cancelled, work.cancelledLater])
        expect((await manage.findPost(id)).publications).toMatchObject([{ state: 'dismissed' }]);
      await expectRecovered(gateway, telegram, work, { noticed_by: 'start', planned: 2, in_doubt: 0 });
    },
  );

  concurrentE2eTest('that a running process meets makes it start again and recover', async (harness) => {
    const { telegram, database, settings } = await setUp(harness);
    const gateway = await harness.startGateway(settings);
    const work = await workBefore(gateway);
    const backup = await backUpDatabase(database.DATABASE_URL);
    harness.addCleanup(() => backup.drop());
    await workAfter(gateway, work);
    // The restore undoes this. A process that still knew it would not publish on the channel.
    const [channel] = work.endpoint.channels;
    await createManagementClient(gateway).patch(`/channels/${channel!.id}`, { enabled: false });
    await backup.restore();
    const manage = createManagementClient(gateway);
    await until('it is noticed', async () => (await readRecovery(manage)).state === 'held');
    await expectRecovered(gateway, telegram, work, { noticed_by: 'running', planned: 3, in_doubt: 4 });
  });
});
