// More than 20 s: gateways work, lose events, and look for posts on networks that first fail to answer.
import sharp from 'sharp';
import { mp3 } from '../media/make-videos.js';
import { TestHost } from '../media/test-host.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../platforms/wire/networks.js';
import { backUpDatabase } from '../support/database-backup.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest, type Network } from './e2e-harness.js';
import type { Endpoint, ManagementClient } from './management-client.js';
import { until } from './until.js';

const WITH_LOOK_UP: ReadonlySet<NetworkName> = new Set(['vk', 'max']);
const CHAT = '7000001';

/** A channel that sends again when in doubt, which a recovery must not do, with its project and endpoint. */
const createChannel = async (manage: ManagementClient, platform: NetworkName, owner_id: string) => {
  const isChat = platform === 'telegram' || platform === 'max';
  const chatId = isChat ? `-100${CHAT}` : CHAT;
  const credentials = { ...NETWORKS[platform].credentials, [isChat ? 'chat_id' : 'group_id']: chatId };
  const settings = { on_doubt: 'resend' };
  const body = { owner_id, platform, name: platform, credentials, settings };
  const channel = await until('a channel', () => manage.post<{ id: string }>('/channels', body));
  const project = await manage.post<{ id: string }>('/projects', {
    owner_id,
    name: platform,
    channel_ids: [channel.id],
  });
  const live = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0 };
  const { slug, token, id } = await manage.post<{ id: string; slug: string; token: string }>('/endpoints', live);
  const endpoint: Endpoint = { path: `/v1/webhooks/${slug}`, token, id, channels: [{ id: channel.id, chatId }] };
  return { id: channel.id, endpoint };
};

const isDone = async (manage: ManagementClient, ids: readonly string[]): Promise<boolean> =>
  (await Promise.all(ids.map((id) => manage.findPost(id)))).every(
    ({ publications: [one] }) => one!.state === 'published',
  );

e2eTest(
  'what a restore puts in doubt is looked up on the networks, and never sent again by itself',
  async (harness) => {
    const host = await TestHost.start();
    harness.addCleanup(() => host.stop());
    const networks = {} as Record<NetworkName, Network>;
    const urls: Record<string, string> = {};
    for (const name of NETWORK_NAMES) {
      networks[name] = await harness.startNetwork(name);
      urls[`${name.toUpperCase()}_API_URL`] = networks[name].url;
    }
    const { application_key, application_secret } = NETWORKS.ok.credentials;
    await networks.ok.control.request('POST', 'applications', { application_key, application_secret });
    const database = await harness.createDatabase();
    const DATA_DIR = await harness.createFolder();
    const settings = { ...database, ...urls, DATA_DIR, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MINUTE_MS: '1000' };
    let gateway = await harness.startGateway(settings);
    let manage = createManagementClient(gateway);
    const { id: owner } = await until('an owner', () =>
      manage.post<{ id: string }>('/owners', { name: 'Restored', plan: 'business' }),
    );
    const photo = await sharp({ create: { width: 32, height: 20, channels: 3, background: '#446' } })
      .jpeg()
      .toBuffer();
    const media = [{ type: 'photo', url: host.serve('/a.jpg', photo) }];
    const posts = {} as Record<
      NetworkName,
      Record<'before' | 'same' | 'sameCancelled' | 'photo' | 'cancelled', string>
    >;
    const channels = {} as Record<NetworkName, Awaited<ReturnType<typeof createChannel>>>;
    const accept = async (name: NetworkName, payload: object): Promise<string> =>
      postIdOf(await publish(gateway.url, channels[name].endpoint, payload));

    /** Publishes a post of two messages on MAX, whose second one is refused at first. */
    const acceptPartly = async (): Promise<string> => {
      const { control } = networks.max;
      await control.addFault({ mode: 'delay', method: 'POST /messages', delay_ms: 0, times: 1 });
      await control.addFault({ mode: 'answer', method: 'POST /messages', status: 503, times: 5 });
      const song = { type: 'audio', url: host.serve('/a.mp3', mp3()) };
      const id = await accept('max', { text: 'a song', media: [song] });
      await until('a step is done and the next one waits', async () => {
        const { message_ids, state } = (await manage.findPost(id)).publications[0]!;
        return message_ids.length === 1 && state === 'queued';
      });
      return id;
    };
    let partly = '';
    for (const name of NETWORK_NAMES) {
      channels[name] = await createChannel(manage, name, owner);
      const before = await accept(name, { text: 'the same' });
      await until(`${name}: it is published`, () => isDone(manage, [before]));
      if (name === 'max') partly = await acceptPartly();
      await manage.post(`/channels/${channels[name].id}/pause`, { minutes: 60 });
      posts[name] = {
        before,
        same: await accept(name, { text: 'the same' }),
        sameCancelled: await accept(name, { text: 'the same' }),
        photo: await accept(name, { text: 'with a photo', media }),
        cancelled: await accept(name, { text: 'cancelled' }),
      };
    }

    const backup = await backUpDatabase(database.DATABASE_URL);
    harness.addCleanup(() => backup.drop());
    for (const name of NETWORK_NAMES) {
      for (const id of [posts[name].sameCancelled, posts[name].cancelled])
        await until('it is cancelled', async () => Boolean(await manage.post(`/posts/${id}/cancel`)));
      await networks[name].control.clearFaults();
      await manage.post(`/channels/${channels[name].id}/resume`);
      const sent = [posts[name].same, posts[name].photo, ...(name === 'max' ? [partly] : [])];
      await until(`${name}: they are published`, () => isDone(manage, sent));
    }
    const readWalls = async (): Promise<readonly string[]> => {
      const walls = NETWORK_NAMES.map(async (name) =>
        (await networks[name].control.readLedger()).map((entry) => `${name} ${entry.message_id} ${entry.text}`),
      );
      return (await Promise.all(walls)).flat().sort();
    };
    const before = await readWalls();
    await gateway.program.killAll();
    await backup.restore();
    // The first look-ups are not answered.
    await networks.vk.control.addFault({ mode: 'hang', method: 'wall.get', times: null });

    gateway = await harness.startGateway({ ...settings, RESTORED_AT: '2026-11-02T10:00:00Z' });
    manage = createManagementClient(gateway);
    // Sending again now could repeat what is about to be found.
    await until('settling doubts is refused during the look-ups', async () => {
      const refused = await manage.post('/recovery/confirm', { in_doubt: 'resend' }).catch(String);
      return /recovery_running.*asking the networks/.test(String(refused));
    });
    await networks.vk.control.clearFaults();
    const inDoubt = 2 * 2 + 4 * 2; // cancelled ones where the network can look up; all where it cannot
    await until(
      'what is on the networks is found',
      async () => {
        const { in_doubt, state } = await manage.get<{ in_doubt: number; state: string }>('/recovery');
        return state === 'held' && in_doubt === inDoubt;
      },
      120_000,
    );
    for (const name of NETWORK_NAMES) {
      const ids = (await networks[name].control.readLedger()).map(({ message_id }) => message_id);
      const stateOf = async (id: string) => {
        const { state, message_ids, attempts } = (await manage.findPost(id)).publications[0]!;
        return {
          state,
          message_ids,
          error: (attempts.at(-1) as { error?: { code: string } } | undefined)?.error?.code,
        };
      };
      const doubt = { state: 'in_doubt', message_ids: [], error: 'restored' };
      for (const id of [posts[name].sameCancelled, posts[name].cancelled]) expect(await stateOf(id)).toEqual(doubt);
      for (const id of [posts[name].same, posts[name].photo])
        if (WITH_LOOK_UP.has(name)) expect(await stateOf(id)).toMatchObject({ state: 'published' });
        else expect(await stateOf(id)).toEqual(doubt);
      if (!WITH_LOOK_UP.has(name)) continue;
      const found = [posts[name].before, posts[name].same, posts[name].photo, ...(name === 'max' ? [partly] : [])];
      const recorded = (await Promise.all(found.map(stateOf))).flatMap(({ message_ids }) => message_ids);
      expect(recorded.toSorted()).toEqual(ids.toSorted());
    }
    expect(await readWalls()).toEqual(before);

    // Sending again is one action, and sends only what was not found.
    const settle = () => manage.post('/recovery/confirm', { in_doubt: 'resend' }).catch(() => null);
    expect(await until('it is settled', settle)).toEqual({ planned: 0, in_doubt: inDoubt });
    const all = NETWORK_NAMES.flatMap((name) => Object.values(posts[name]));
    await until('all are published', () => isDone(manage, all));
    const sentAgain = WITH_LOOK_UP.size * 2 + 2 * 4;
    expect((await readWalls()).length).toBe(before.length + sentAgain);
    const { attempts } = (await manage.findPost(posts.max.cancelled)).publications[0]!;
    expect(attempts.map(({ n, outcome }) => ({ n, outcome }))).toEqual([
      { n: 1, outcome: 'in_doubt' },
      { n: 2, outcome: 'published' },
    ]);
  },
);
