import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import {
  GatewayHarness,
  type Publication,
  type PublishingChannel,
} from '../../sagas/publish-due-posts/gateway-harness.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import type { TestEndpoint } from './gateway.js';

let harness: GatewayHarness;
let host: TestHost;
let owner: string;
let first: PublishingChannel;
let second: PublishingChannel;
let vk: PublishingChannel;
let endpoint: TestEndpoint;
beforeAll(async () => {
  harness = await GatewayHarness.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', PACING: 'off' });
  host = await TestHost.start();
  owner = await harness.gateway.createOwner();
  first = await harness.createChannel('telegram', { owner_id: owner });
  second = await harness.createChannel('telegram', { owner_id: owner });
  vk = await harness.createChannel('vk', { owner_id: owner });
  const projects = [first, second, vk].map(({ projectId }) => projectId);
  endpoint = await harness.gateway.createEndpoint(owner, projects);
});
afterAll(async () => {
  await host?.stop();
  await harness?.stop();
});

const isPublished = async (post: string): Promise<boolean> => {
  const { publications } = await harness.gateway.manage('GET', `/posts/${post}`);
  return (publications as Publication[]).every(({ state }) => state === 'published');
};

/** Publishes a post and returns the texts that reach the three chats. */
const publish = async (payload: object): Promise<readonly string[]> => {
  const { status, body } = await endpoint.post('', payload);
  expect({ status, body }).toMatchObject({ status: 200, body: { queued_targets: 3 } });
  await until('it is published everywhere', () => isPublished(body.id));
  const walls = await Promise.all([first, second, vk].map((channel) => channel.readWall()));
  return walls.map((wall) => wall.at(-1)!.text);
};

describe('overrides (D-61)', () => {
  it('each target gets the payload, with its network’s override, then its own', async () => {
    const overrides = { telegram: { text: 'on Telegram' }, [second.channelId]: { text: 'for the second' } };
    expect(await publish({ text: 'for all', overrides })).toEqual(['on Telegram', 'for the second', 'for all']);
  });

  it('a payload without content of its own is published, and lists show the text of an override', async () => {
    const overrides = { telegram: { text: 'a text' }, vk: { text: 'another text' } };
    expect(await publish({ overrides })).toEqual(['a text', 'a text', 'another text']);
    const { items } = await harness.gateway.manage('GET', `/posts?endpoint_id=${endpoint.id}&limit=1`);
    expect(items).toMatchObject([{ excerpt: 'a text' }]);
    const { payload } = await harness.gateway.manage('GET', `/posts/${items[0].id}`);
    expect(payload).toEqual({ overrides });
  });

  it('processing works on what each target gets', async () => {
    const { gateway } = harness;
    await gateway.manage('PATCH', `/projects/${second.projectId}`, {
      processing: { replacements: [{ from: 'cat', to: 'dog' }] },
    });
    const overrides = { [second.channelId]: { text: 'the cat' } };
    expect(await publish({ text: 'a cat', overrides })).toEqual(['a cat', 'the dog', 'a cat']);
    await gateway.manage('PATCH', `/projects/${second.projectId}`, { processing: {} });
  });

  it('a large payload keeps its overrides', async () => {
    const overrides = { vk: { text: 'of a large payload' } };
    const metadata = { filler: 'x'.repeat(300_000) };
    expect(await publish({ text: 'for all', metadata, overrides })).toEqual([
      'for all',
      'for all',
      'of a large payload',
    ]);
  });

  it('media of each target’s own list are probed, and problems name their place', async () => {
    const photo = (url: string): object => ({ type: 'photo', url });
    const right = host.serve('/right.png', png(10, 10));
    const overrides = { vk: { media: [photo(right), photo(`${host.origin}/nothing`)] } };
    for (const { status, body } of [
      await endpoint.post('', { text: 'a', media: [photo(right)], overrides }),
      await endpoint.sandbox({ text: 'a', media: [photo(right)], overrides }),
    ]) {
      expect({ status, details: body.details }).toMatchObject({
        status: 400,
        details: [{ path: 'overrides.vk.media[1].url', code: 'media_http_status' }],
      });
      expect(body.errors).toEqual([expect.stringMatching(/^overrides\.vk\.media\[1\]\.url /)]);
    }
    // No target gets the payload's own media.
    const replaced = { telegram: { media: null }, vk: { media: null } };
    const media = [photo(`${host.origin}/nothing`)];
    const accepted = await endpoint.post('', { text: 'a', media, overrides: replaced });
    expect(accepted.status).toBe(200);
    // Otherwise the output of a later test could receive it.
    await until('it is published everywhere', () => isPublished(accepted.body.id));
    // If the post is refused anyway, the answer names all problems, but only those of these lists.
    const entities = [{ type: 'bold', offset: 0, length: 9 }];
    const refused = { text: 'a', entities, media, overrides: { ...overrides, telegram: { media: null } } };
    for (const { body } of [await endpoint.post('', refused), await endpoint.sandbox(refused)])
      expect(body.details).toMatchObject([
        { path: 'entities[0].length' },
        { path: 'overrides.vk.media[1].url', code: 'media_http_status' },
      ]);
  });

  it('media of an override that no addressed target uses are not probed', async () => {
    const overrides = { vk: { media: [{ type: 'photo', url: `${host.origin}/nothing` }] } };
    const { status, body } = await endpoint.post('', { text: 'a', targets: [{ id: first.channelId }], overrides });
    expect({ status, body }).toMatchObject({ status: 200, body: { queued_targets: 1 } });
    await until('it is published', () => isPublished(body.id));
  });

  it('what is wrong is refused with its place, and nothing is accepted', async () => {
    const overrides = { facebook: { text: 'a' }, telegram: { text: 7 }, vk: {} };
    for (const { status, body } of [
      await endpoint.post('', { text: 'a', overrides }),
      await endpoint.sandbox({ text: 'a', overrides }),
    ])
      expect({ status, details: body.details }).toMatchObject({
        status: 422,
        details: [
          { path: 'overrides.facebook', code: 'unknown_override' },
          { path: 'overrides.telegram.text', code: 'wrong_type' },
          { path: 'overrides.vk', code: 'empty' },
        ],
      });
    const { body } = await endpoint.post('', { text: 'a', overrides: { tgt_other: { text: 'b' } } });
    expect(body).toMatchObject({ code: 'unknown_override', details: [{ path: 'overrides.tgt_other' }] });
  });

  it('a target that is added to the endpoint may have one at once', async () => {
    const { gateway } = harness;
    const project = await gateway.createProject(owner, [{ id: first.channelId }]);
    const growing = await gateway.createEndpoint(owner, [project]);
    expect((await growing.post('', { text: 'a' })).status).toBe(200);
    await gateway.manage('PATCH', `/projects/${project}`, { channel_ids: [first.channelId, vk.channelId] });
    const overrides = { [vk.channelId]: { text: 'new' } };
    expect(await growing.post('', { text: 'a', overrides })).toMatchObject({ status: 200 });
  });

  it('the sandbox previews networks and targets, and names what has no effect', async () => {
    const overrides = { telegram: { text: 'on Telegram' }, [second.channelId]: { text: 'second' }, vk: { text: 'V' } };
    const targets = [{ id: first.channelId }, { id: second.channelId }];
    const { status, body } = await endpoint.sandbox({ text: 'for all', targets, overrides });
    expect(status).toBe(200);
    const shown = Object.entries(body.preview as Record<string, { text_after_trim: string; requests: object[] }>).map(
      ([key, { text_after_trim, requests }]) => [key, text_after_trim, requests.length],
    );
    expect(Object.fromEntries(shown.map(([key, ...rest]) => [key, rest]))).toMatchObject({
      telegram: ['on Telegram', 1],
      vk: ['V', 0],
      max: ['for all', 0],
      [second.channelId]: ['second', 1],
    });
    expect(body.preview.telegram.requests[0].target_id).toBe(first.channelId);
    expect(body.preview[second.channelId].requests[0].target_id).toBe(second.channelId);
    expect(body.warnings).toMatchObject([{ code: 'unused_override', path: 'overrides.vk' }]);
  });

  it('webhooks have the content as it was published on their target', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      const { gateway } = harness;
      const output = { project_id: vk.projectId, url: receiver.url, kinds: ['post.published'] };
      await gateway.manage('POST', '/webhook-outputs', output);
      await publish({ text: 'for all', overrides: { vk: { text: 'on VK', buttons: null } } });
      const { body } = await until('it is delivered', () => receiver.received.at(0));
      expect(body.data ?? body).toMatchObject({ text: 'on VK', entities: [] });
    } finally {
      await receiver.close();
    }
  });
});
