// More than 20 s: workers stay frozen until their leases have expired and the next worker has looked for the post.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../platforms/wire/networks.js';
import { type HoldPoint, NetworkGate } from '../support/network-gate.js';
import { TEST_CERTIFICATE } from '../support/test-certificate.js';
import { postIdOf } from './client.js';
import { createManagementClient, type E2eHarness, e2eTest } from './e2e-harness.js';
import { sendPost } from './gateway-processes.js';
import type { ManagementClient, Publication } from './management-client.js';
import { until } from './until.js';

const ROUNDS = process.env.TEST_LONG ? 5 : 1;
/** Networks whose look-up tells the next worker that the post is not there, so that it sends the post. */
const WITH_LOOK_UP: readonly NetworkName[] = ['vk', 'max'];
const OTHERS: readonly NetworkName[] = ['telegram', 'ok'];

type Twice = Publication & {
  readonly duplicates: readonly { readonly message_ids: readonly string[]; readonly at: string }[];
  readonly warnings: readonly { readonly code: string }[];
};

/** Creates a channel with its own project and endpoint. */
const createChannel = async (manage: ManagementClient, platform: NetworkName, owner_id: string) => {
  const isChat = platform === 'telegram' || platform === 'max';
  const chat = isChat ? '-1007000001' : '7000001';
  const credentials = { ...NETWORKS[platform].credentials, [isChat ? 'chat_id' : 'group_id']: chat };
  const channel = await manage.post<{ id: string }>('/channels', { owner_id, platform, name: platform, credentials });
  const channel_ids = [channel.id];
  const project = await manage.post<{ id: string }>('/projects', { owner_id, name: platform, channel_ids });
  const body = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0 };
  const { slug, token, id } = await manage.post<{ id: string; slug: string; token: string }>('/endpoints', body);
  return { path: `/v1/webhooks/${slug}`, token, id, channels: [] };
};

/**
 * Freezes a worker at a point of its calls to all networks until another worker has dealt with the posts, then lets it
 * continue.
 */
const freezeSender = async (harness: E2eHarness, point: HoldPoint) => {
  const gates = {} as Record<NetworkName, NetworkGate>;
  const standIns = {} as Record<NetworkName, Awaited<ReturnType<E2eHarness['startNetwork']>>>;
  const urls: Record<string, string> = {};
  for (const name of NETWORK_NAMES) {
    standIns[name] = await harness.startNetwork(name);
    const gate = await NetworkGate.start(standIns[name].url);
    harness.addCleanup(() => gate.stop());
    gates[name] = gate;
    urls[`${name.toUpperCase()}_API_URL`] = gate.url;
  }
  const { application_key, application_secret } = NETWORKS.ok.credentials;
  await standIns.ok.control.request('POST', 'applications', { application_key, application_secret });
  // A guid alone does not protect from a second post (D-41).
  await standIns.vk.control.request('POST', 'groups', { group_id: '7000001', ignore_guids: true });
  const authority = join(await harness.createFolder(), 'ca.pem');
  await writeFile(authority, TEST_CERTIFICATE.cert);
  const shared = { ...(await harness.createDatabase()), ...urls, LEASE_SECONDS: '5', NODE_EXTRA_CA_CERTS: authority };
  const start = async (ROLES: string) =>
    harness.startGateway({ ...shared, DATA_DIR: await harness.createFolder(), ROLES });
  const [api, one] = await Promise.all([start('api'), start('worker')]);
  const manage = createManagementClient(api);
  const { id: owner } = await manage.post<{ id: string }>('/owners', { name: 'Late senders', plan: 'business' });
  const posts = {} as Record<NetworkName, string>;
  for (const name of NETWORK_NAMES) {
    const endpoint = await createChannel(manage, name, owner);
    gates[name].hold(point);
    posts[name] = postIdOf((await sendPost(api.url, endpoint, name)).answer);
  }
  for (const name of NETWORK_NAMES) await until(`the call to ${name} is held`, () => gates[name].isHolding);
  one.program.freeze();
  await start('worker');
  const read = async (name: NetworkName) => (await manage.findPost(posts[name])).publications[0] as Twice;
  const waitFor = async (names: readonly NetworkName[], state: string) => {
    for (const name of names) await until(`${name} is ${state}`, async () => (await read(name)).state === state);
  };
  await waitFor(WITH_LOOK_UP, 'published');
  await waitFor(OTHERS, 'in_doubt');
  for (const name of NETWORK_NAMES) gates[name].release();
  // The worker finds the responses as soon as it continues.
  if (point === 'request')
    for (const name of NETWORK_NAMES) await until(`${name} has answered`, () => gates[name].hasAnswered);
  one.program.thaw();
  const countMessages = async (name: NetworkName) => (await standIns[name].control.readLedger()).length;
  return { manage, owner, gates, read, waitFor, countMessages };
};

for (let round = 1; round <= ROUNDS; round++) {
  e2eTest(
    `a worker that is frozen before the first byte sends nothing once its lease has passed (${round})`,
    async (harness) => {
      const { gates, read, countMessages } = await freezeSender(harness, 'handshake');
      for (const name of NETWORK_NAMES)
        await until(`the call to ${name} is over`, () => gates[name].isClosed || gates[name].hasRequest);
      const sent = NETWORK_NAMES.filter((name) => gates[name].hasRequest);
      expect(sent).toEqual([]);
      for (const name of WITH_LOOK_UP) {
        expect(await countMessages(name)).toBe(1);
        expect(await read(name)).toMatchObject({ state: 'published', duplicates: [] });
      }
      for (const name of OTHERS) {
        expect(await countMessages(name)).toBe(0);
        expect((await read(name)).state).toBe('in_doubt');
      }
    },
  );

  e2eTest(
    `a worker that is frozen before the answer tells a duplicate, or that the post is there (${round})`,
    async (harness) => {
      const { manage, owner, read, waitFor, countMessages } = await freezeSender(harness, 'request');
      await waitFor(OTHERS, 'published');
      for (const name of OTHERS) {
        expect(await countMessages(name)).toBe(1);
        expect(await read(name)).toMatchObject({ duplicates: [], warnings: [] });
      }
      for (const name of WITH_LOOK_UP) {
        const twice = await until(`${name} has a duplicate`, async () => {
          const found = await read(name);
          return found.duplicates.length > 0 && found;
        });
        expect(await countMessages(name)).toBe(2);
        expect(twice).toMatchObject({ state: 'published', warnings: [{ code: 'published_twice' }] });
        expect(twice.duplicates[0]!.message_ids).toHaveLength(1);
        expect(twice.duplicates[0]!.message_ids).not.toEqual(twice.message_ids);
      }
      const { attention } = await manage.get<{ attention: readonly { code: string; count: number }[] }>(
        `/overview?owner_id=${owner}`,
      );
      expect(attention).toMatchObject([{ code: 'published_twice', count: WITH_LOOK_UP.length }]);
      for (const name of WITH_LOOK_UP) {
        const { id } = await read(name);
        const dismissed = await manage.post<Twice>(`/publications/${id}/dismiss-duplicate`);
        expect(dismissed).toMatchObject({ state: 'published', warnings: [], duplicates: [{}] });
        await expect(manage.post(`/publications/${id}/dismiss-duplicate`)).rejects.toThrow('409');
      }
      const overview = await manage.get<{ attention: readonly object[] }>(`/overview?owner_id=${owner}`);
      expect(overview.attention).toEqual([]);
    },
  );
}

/** How each network is asked to delete a message. */
const DELETES: Readonly<Record<NetworkName, string>> = {
  telegram: 'deleteMessage',
  vk: 'wall.delete',
  max: 'DELETE /messages',
  ok: 'mediatopic.deleteTopic',
};

e2eTest('a worker that is frozen while it takes posts back leaves no message, and sends nothing', async (harness) => {
  const standIns = {} as Record<NetworkName, Awaited<ReturnType<E2eHarness['startNetwork']>>>;
  const urls: Record<string, string> = {};
  for (const name of NETWORK_NAMES) {
    standIns[name] = await harness.startNetwork(name);
    urls[`${name.toUpperCase()}_API_URL`] = standIns[name].url;
  }
  const { application_key, application_secret } = NETWORKS.ok.credentials;
  await standIns.ok.control.request('POST', 'applications', { application_key, application_secret });
  const shared = { ...(await harness.createDatabase()), ...urls, LEASE_SECONDS: '5' };
  const start = async (ROLES: string) =>
    harness.startGateway({ ...shared, DATA_DIR: await harness.createFolder(), ROLES });
  const [api, one] = await Promise.all([start('api'), start('worker')]);
  const manage = createManagementClient(api);
  const { id: owner } = await manage.post<{ id: string }>('/owners', { name: 'Takes back', plan: 'business' });
  const endpoints = {} as Record<NetworkName, Awaited<ReturnType<typeof createChannel>>>;
  const posts = {} as Record<NetworkName, string>;
  const stateOf = async (post: string): Promise<string> => (await manage.findPost(post)).publications[0]!.state;
  const waitFor = async (state: string): Promise<void> => {
    for (const name of NETWORK_NAMES)
      await until(`${name} is ${state}`, async () => (await stateOf(posts[name])) === state);
  };
  const shown = async (name: NetworkName) => (await standIns[name].control.readMessages()).map(({ text }) => text);
  const deletes = async (name: NetworkName) =>
    (await standIns[name].control.listCalls({ method: DELETES[name] })).items;

  for (const name of NETWORK_NAMES) {
    endpoints[name] = await createChannel(manage, name, owner);
    posts[name] = postIdOf((await sendPost(api.url, endpoints[name], `wrong on ${name}`)).answer);
  }
  await waitFor('published');
  for (const name of NETWORK_NAMES) {
    // The first call deletes the message long after the worker's lease has passed.
    await standIns[name].control.addFault({ mode: 'delay', method: DELETES[name], delay_ms: 20_000 });
    await manage.post(`/posts/${posts[name]}/withdraw`, {});
  }
  for (const name of NETWORK_NAMES)
    await until(`${name} is asked to delete`, async () => (await deletes(name)).length === 1);
  one.program.freeze();
  const two = await start('worker');
  await waitFor('withdrawn');
  for (const name of NETWORK_NAMES) expect(await shown(name)).toEqual([]);

  one.program.thaw();
  for (const name of NETWORK_NAMES)
    await until(`${name} has answered the first call`, async () => (await deletes(name))[0]?.status !== null);
  // Both workers go on, and what they send is new.
  for (const name of NETWORK_NAMES)
    posts[name] = postIdOf((await sendPost(api.url, endpoints[name], `right on ${name}`)).answer);
  await waitFor('published');
  await two.program.kill();
  for (const name of NETWORK_NAMES)
    posts[name] = postIdOf((await sendPost(api.url, endpoints[name], `last on ${name}`)).answer);
  await waitFor('published');
  for (const name of NETWORK_NAMES) {
    expect(await shown(name)).toEqual([`right on ${name}`, `last on ${name}`]);
    const all = (await standIns[name].control.readLedger()).map(({ text }) => text);
    expect(all).toEqual([`wrong on ${name}`, `right on ${name}`, `last on ${name}`]);
  }
});
