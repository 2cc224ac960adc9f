import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Gateway, Program } from '../support/gateway-process.js';
import { expectNothingLost, expectReplays } from './audit.js';
import { createManagementClient, type E2eHarness, e2eTest } from './e2e-harness.js';
import { readState, sendPost } from './gateway-processes.js';
import { type Channel, OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

interface ChannelView {
  readonly status: string;
  readonly attention: { readonly code: string; readonly message: string; readonly actions: readonly object[] } | null;
}

/** Starts gateways on one event store and one network, each with a new database. */
const startEventStore = async (harness: E2eHarness) => {
  const telegram = await harness.startTelegram();
  const server = await harness.startEventStore();
  /** @param keys the file of `history export-keys`; absent if the store is empty */
  const startWithNewDatabase = async (keys?: string) => {
    const dataDir = await harness.createFolder();
    const settings = {
      ...(await harness.createDatabase()),
      EVENT_STORE_URL: server.connectionString,
      DATA_DIR: dataDir,
      TELEGRAM_API_URL: telegram.url,
      MINUTE_MS: '1000', // the spacing of the posts that wait
    };
    if (keys !== undefined) {
      const file = join(dataDir, 'keys.ndjson');
      await writeFile(file, keys);
      const program = Program.spawn('keys', ['main.js', 'content-keys', 'import', file], { ...settings, DEMO: 'off' });
      expect((await program.exited).code).toBe(0);
    }
    return harness.startGateway(settings);
  };
  return { telegram, startWithNewDatabase };
};

/** Reads the keys of the content, as `crosspost history export-keys` does. */
const readKeys = async ({ url }: Gateway): Promise<string> => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  return (await fetch(`${url}/manage/v1/history/export?content_keys=sealed`, { headers })).text();
};

/** Credentials as {@link ManagementClient.seed} gave them to the n-th channel. */
const credentialsOf = ({ chatId }: Channel, n: number) => ({
  bot_token: `${1001 + n}:${'t'.repeat(35)}`,
  chat_id: chatId,
});

e2eTest(
  'PostgreSQL lost, event store kept: everything comes back but credentials, which are asked for; nothing is posted twice',
  async (harness) => {
    const { telegram, startWithNewDatabase } = await startEventStore(harness);
    const first = await startWithNewDatabase();
    const { endpoints, channels } = await createManagementClient(first).seed(2, [[0], [0, 1]]);
    const [single, both] = endpoints as [(typeof endpoints)[0], (typeof endpoints)[0]];
    const sent = [await sendPost(first.url, single, 'one'), await sendPost(first.url, both, 'two')];
    await expectNothingLost(createManagementClient(first), telegram, sent, channels);
    await createManagementClient(first).post(`/channels/${channels[0]!.id}/pause`, { minutes: 1_440 });
    sent.push(await sendPost(first.url, both, 'waits for the pause'));
    await until('it is on the other wall', async () => (await telegram.control.readLedger()).length === 4);
    // Of everything in PostgreSQL, only the keys of the content have a backup.
    const keys = await readKeys(first);
    await first.program.killAll();

    const second = await startWithNewDatabase(keys);
    const manage = createManagementClient(second);
    for (const channel of channels)
      await until('the channel asks for its credentials', async () => {
        const { status, attention } = await manage.get<ChannelView>(`/channels/${channel.id}`);
        expect({ status, code: attention?.code }).toEqual({ status: 'needs_attention', code: 'credentials_missing' });
        expect(attention!.message).toContain(
          `bot_token (the bot's token from @BotFather), chat_id (${channel.chatId})`,
        );
        return true;
      });

    // Endpoints, tokens and keys are as before: a repeat posts nothing, a new post is accepted and waits.
    await expectReplays(second.url, sent);
    const later = await sendPost(second.url, both, 'after the loss');
    sent.push(later);
    await until('the new post waits', async () => (await readState(manage, later)) === 'queued');

    for (const [n, channel] of channels.entries())
      await manage.patch(`/channels/${channel.id}`, { credentials: credentialsOf(channel, n) });
    await manage.post(`/channels/${channels[0]!.id}/resume`);
    await expectNothingLost(manage, telegram, sent, channels);
    for (const channel of channels)
      await until('the channel asks for nothing', async () => {
        const { status, attention } = await manage.get<ChannelView>(`/channels/${channel.id}`);
        return status === 'ok' && attention === null;
      });
  },
);
