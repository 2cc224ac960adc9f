// More than 20 s: a gateway edits a post, loses events with a restore, and starts again.
import { backUpDatabase } from '../support/database-backup.js';
import type { Gateway } from '../support/gateway-process.js';
import { concurrentE2eTest, createManagementClient, type E2eHarness } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { accept, isPublished, readRecovery, setUp } from './restore-scenario.js';
import { until } from './until.js';

interface Shown {
  readonly content_version: number | null;
  readonly edit: object | null;
}

/** A post on Telegram, and what readers and the API say of it. */
const publishOne = async (harness: E2eHarness) => {
  const { telegram, database, settings } = await setUp(harness);
  const gateway = await harness.startGateway(settings);
  const { endpoints } = await createManagementClient(gateway).seed(1, [[0]]);
  const id = await accept(gateway, endpoints[0]!, { text: 'first' });
  await until('it is published', () => isPublished(createManagementClient(gateway), id));
  /** The same content makes no second revision, so the request may be repeated, as after the backup has cut connections. */
  const edit = ({ url }: Gateway, text: string): Promise<unknown> =>
    until(`the edit to ${text} is accepted`, async () => {
      const answer = await fetch(`${url}/manage/v1/posts/${id}/content`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      });
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      return true;
    });
  const show = async (at: Gateway): Promise<Shown> =>
    (await createManagementClient(at).findPost(id)).publications[0] as unknown as Shown;
  const waitForVersion = (at: Gateway, version: number): Promise<unknown> =>
    until(`readers see version ${version}`, async () => {
      const { content_version, edit: open } = await show(at);
      return content_version === version && open === null;
    });
  const texts = async () => (await telegram.control.readMessages()).map(({ text }) => text);
  const countEdits = async () => (await telegram.control.listCalls({ method: 'editMessageText' })).items.length;
  return { telegram, database, settings, gateway, edit, show, waitForVersion, texts, countEdits };
};

describe('an edit and a restore of an older backup (docs/recovery.md)', () => {
  concurrentE2eTest(
    'is lost if it was made after the backup: readers keep it, and nothing is sent',
    async (harness) => {
      const { database, settings, gateway, edit, show, waitForVersion, texts, countEdits } = await publishOne(harness);
      const backup = await backUpDatabase(database.DATABASE_URL);
      harness.addCleanup(() => backup.drop());
      await edit(gateway, 'second');
      await waitForVersion(gateway, 2);
      const calls = await countEdits();
      await gateway.program.killAll();
      await backup.restore();

      const restored = await harness.startGateway(settings);
      const manage = createManagementClient(restored);
      await until('the loss is noticed', async () => (await readRecovery(manage)).lost_events !== null);
      expect(await show(restored)).toMatchObject({ content_version: 1, edit: null });
      expect(await texts()).toEqual(['second']);
      expect(await countEdits()).toBe(calls);

      // Edited again, it has the next version, in the same message.
      await edit(restored, 'third');
      await waitForVersion(restored, 2);
      expect(await texts()).toEqual(['third']);
    },
  );

  concurrentE2eTest('is shown again if it was asked for before the backup, in the same message', async (harness) => {
    const { telegram, database, settings, gateway, edit, show, waitForVersion, texts } = await publishOne(harness);
    await telegram.control.addFault({ mode: 'drop_before_accepting', method: 'editMessageText', times: null });
    await edit(gateway, 'second');
    await until('the edit is tried', async () => (await show(gateway)).edit !== null);
    const backup = await backUpDatabase(database.DATABASE_URL);
    harness.addCleanup(() => backup.drop());
    await telegram.control.clearFaults();
    await waitForVersion(gateway, 2);
    await gateway.program.killAll();
    await backup.restore();

    const restored = await harness.startGateway(settings);
    await waitForVersion(restored, 2);
    expect(await texts()).toEqual(['second']);
  });
});
