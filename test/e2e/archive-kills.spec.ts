// More than 20 s: gateways are killed and restarted while they archive months of history.
import { setTimeout as sleep } from 'node:timers/promises';
import { usesEventStore } from '../support/event-store-server.js';
import { freePort } from '../support/free-port.js';
import { sampleOf } from '../support/sample.js';
import { ArchiveScenario, FILE_STORES, firstOf } from './archive-scenario.js';
import { expectNothingLost, expectRebuiltEqualsLive } from './audit.js';
import { e2eTest } from './e2e-harness.js';
import { startLoad } from './load.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
/** Longest time between the start of a job and a kill, in ms: about as long as a job takes. */
const LONGEST_DELAY_MS = 1_500;
/** Longest time between a file and a kill, in ms: a file is named and moved within less. */
const AFTER_FILE_MS = 60;
const READ_MODELS = LONG ? undefined : ['posts', 'webhook-deliveries', 'audit'];
const OTHER = 'archive/2020-01-0000000000000000001-ab.jsonl.gz';

/** Normal runs try one of these, which takes a minute. */
const choice = new Random();
const PARTS = ['folder', 's3', 'backup'] as const;
const chosen = new Set(sampleOf(PARTS, 0.3, choice));
const describeIf = (part: (typeof PARTS)[number], title: string, tests: () => void): void => {
  // KurrentDB keeps its own events, so there are no files.
  const define = usesEventStore ? describe.skip : describe;
  if (chosen.has(part)) define(`${title} (choice by seed ${choice.seed})`, tests);
};

const testKills = (part: keyof typeof FILE_STORES, kills: number): void => {
  const random = new Random();
  e2eTest(
    `answers as before, beside live traffic, though the gateway is killed ${kills} times (seed ${random.seed})`,
    async (harness) => {
      const files = await FILE_STORES[part](harness);
      const PORT = String(await freePort());
      const scenario = await ArchiveScenario.publishMonths(harness, kills + 1, { PORT, ...files.settings });
      const { manage, telegram, channels, endpoints } = scenario;
      await scenario.start();
      const before = await scenario.readAnswers();
      const exported = await scenario.readExport();

      let isOver = false;
      const load = startLoad({
        endpoints: endpoints.slice(1),
        random,
        urls: () => [scenario.url],
        posts: () => !isOver,
      });
      const readers = scenario.keepReading(before, random, () => isOver);
      readers.catch(() => undefined); // an error is thrown below, where it is awaited
      const archive = (months: number) => manage.post<{ id: string }>('/history/archive', { before: firstOf(months) });
      for (let kill = 0; kill < kills; kill++) {
        const written = (await files.list()).length;
        // A job that was interrupted last time goes on.
        await until('a job runs', () =>
          archive(kills - kill).catch((error: Error) => /job_running/.test(error.message)),
        );
        if (random.below(2) === 0) await sleep(random.below(LONGEST_DELAY_MS));
        else {
          await until(
            'a file is written',
            async () => (await files.list()).length > written || !(await scenario.isArchiving()),
          );
          await sleep(random.below(AFTER_FILE_MS));
        }
        await scenario.kill();
        if (kill === kills - 1) await files.write(OTHER);
        await load.during(scenario.start());
      }
      await until('the unknown file is named', async () => (await scenario.readProblem())?.includes(OTHER));
      const { id } = await until('the last job', () => archive(0));
      expect(await scenario.waitForJob(id)).toMatchObject({ left: null, unknown_files: [OTHER] });
      isOver = true;
      await load.done;
      expect(await readers).toBeGreaterThan(0);

      expect(await scenario.readAnswers()).toEqual(before);
      expect((await scenario.readExport()).slice(0, exported.length)).toEqual(exported);
      await scenario.expectProofs();
      await scenario.expectArchived((await files.list()).filter((name) => name !== OTHER));
      await scenario.expectPublishedOnce();
      await expectNothingLost(manage, telegram, load.sent, channels.slice(1));
      const { id: verification } = await manage.post<{ id: string }>('/history/verify');
      expect(await scenario.waitForJob(verification)).toMatchObject({ broken: [] });
      await expectRebuiltEqualsLive(manage, READ_MODELS);
    },
    LONG ? 3_600_000 : undefined,
  );
};

describeIf('folder', 'history that is archived in a folder', () => testKills('folder', LONG ? 30 : 3));
describeIf('s3', 'history that is archived in S3', () => testKills('s3', LONG ? 20 : 2));

describeIf('backup', 'a backup that is restored beside a newer archive', () =>
  e2eTest('is noticed, and archived again', async (harness) => {
    const files = await FILE_STORES.folder(harness);
    const PORT = String(await freePort());
    const scenario = await ArchiveScenario.publishMonths(harness, 2, { PORT, ...files.settings }, { backUpAfter: 1 });
    const { manage } = scenario;
    await scenario.start();
    const before = await scenario.readAnswers();
    const archive = async () => {
      const { id } = await manage.post<{ id: string }>('/history/archive', { before: firstOf(0) });
      return scenario.waitForJob(id);
    };
    expect(await archive()).toMatchObject({ left: null, unknown_files: [] });
    const [first, second] = await files.list();
    expect(await scenario.readProblem()).toBeNull();

    await scenario.kill();
    await scenario.restore();
    await scenario.start();
    await until('both files are named', async () => (await scenario.readProblem())?.includes('(2)'));
    expect(await archive()).toMatchObject({ months: [{ files: 1 }], unknown_files: [second] });
    expect(await files.list()).toEqual([first, second]);
    await until('the other is named', async () => (await scenario.readProblem())?.includes(second!));
    const known = await scenario.readAnswers(scenario.posts.slice(0, scenario.posts.length / 2));
    expect(before).toEqual(expect.objectContaining(known));
  }),
);
