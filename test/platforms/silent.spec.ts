import type { PlatformPost } from '../../src/platforms/publisher.js';
import { noMedia } from './media-files.js';
import { postOf } from './publish-post.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from './wire/networks.js';

/** Renders a post on a network; returns the requests of its visible calls, and its warnings. */
const render = async (name: NetworkName, post: PlatformPost) => {
  const publisher = NETWORKS[name].publisher('http://127.0.0.1:1');
  const { steps, warnings } = publisher.render(post, { id: 'tgt_1', address: NETWORKS[name].address, settings: {} });
  await publisher.close();
  const requests = steps.filter(({ visible }) => visible).map(({ request }) => request);
  return { requests, codes: warnings.map(({ code }) => code) };
};

/** A post of several messages on Telegram: an album, and a text with buttons. */
const POST = postOf({
  text: 'Ahoy',
  media: ['one', 'two'].map((name) => ({ type: 'photo', url: `https://media.example/${name}.jpg` })),
  buttons: [[{ text: 'Tides', url: 'https://example.com/' }]],
});

/** What a silent post has in addition, in each request. */
const ADDED: Readonly<Record<NetworkName, object>> = {
  telegram: { disable_notification: true },
  vk: { mute_notifications: '1' },
  max: {},
  ok: {},
};

describe.each(NETWORK_NAMES)('a silent post on %s', (name) => {
  it('has the network’s own parameter in each message, or the warning that there is none', async () => {
    const loud = await render(name, POST);
    const silent = await render(name, { ...POST, silent: true });
    expect(silent.requests).toEqual(loud.requests.map((request) => ({ ...request, ...ADDED[name] })));
    const isIgnored = Object.keys(ADDED[name]).length === 0;
    expect([...silent.codes].sort()).toEqual([...loud.codes, ...(isIgnored ? ['silent_ignored'] : [])].sort());
    expect(await render(name, { ...POST, silent: false })).toEqual(loud);
  });

  it('may also be pinned: only a network that cannot says so', async () => {
    const { codes } = await render(name, POST);
    const pinned = await render(name, { ...POST, pin: true });
    expect([...pinned.codes].sort()).toEqual([...codes, ...(name === 'ok' ? ['pin_ignored'] : [])].sort());
  });

  it('is accepted by the network', async () => {
    const { start, publisher: create, address, credentials } = NETWORKS[name];
    const network = await start();
    const publisher = create(network.url);
    const channel = { id: 'tgt_1', address, settings: {} };
    const step = publisher.render({ ...postOf({ text: 'Ahoy' }), silent: true }, channel).steps[0]!;
    const sending = { credentials, channel, results: {}, key: 'pub_1', waits: {}, media: noMedia };
    expect(await publisher.send(step, { ...sending, signal: new AbortController().signal })).toMatchObject({
      kind: 'done',
    });
    const { items } = await network.control.listCalls();
    expect(items[0]?.request).toMatchObject(ADDED[name]);
    await publisher.close();
    await network.stop();
  });
});
