// More than 20 s: an owner with 60 channels and hundreds of hanging calls is set up over HTTP.
import { until } from '../../e2e/until.js';
import { jpeg } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import { GatewayHarness, type Publication, type PublishingChannel } from './gateway-harness.js';

/** Slots of a network in this worker; production has 512. */
const SLOTS = 16;
/** Downloads of a worker at a time. */
const DOWNLOADS = 64;
/** Channels of the owner that floods the network: more than there are slots. */
const MANY = 60;

let harness: GatewayHarness;
let host: TestHost;
let victim: PublishingChannel;
beforeAll(async () => {
  const env = { ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off', PACING: 'off' };
  // No call is given up while a test looks at it.
  const overrides = { channelsPerNetwork: SLOTS, callTimeoutMs: 600_000 };
  harness = await GatewayHarness.start(env, undefined, overrides);
  host = await TestHost.start();
  victim = await harness.createChannel('telegram');
});
afterAll(async () => {
  await host.stop();
  await harness.stop();
});

/** A download that hangs. */
interface Hanging {
  readonly isOver: () => boolean;
  /** Sends the rest of the file. */
  readonly finish: () => void;
}

let files = 0;
/** Serves a file that arrives byte by byte until its download is finished. @returns its URL, and its downloads */
const serveSlowly = (): { readonly url: string; readonly downloads: Hanging[] } => {
  const downloads: Hanging[] = [];
  const bytes = jpeg(30, 20);
  const url = host.on(`/${++files}.jpg`, (_, answer) => {
    let sent = 0;
    const drip = (): void => void answer.write(bytes.subarray(sent, ++sent));
    drip();
    const timer = setInterval(drip, 1_000);
    answer.on('close', () => clearInterval(timer));
    downloads.push({
      isOver: () => answer.destroyed || answer.writableFinished,
      finish: () => {
        clearInterval(timer);
        answer.end(bytes.subarray(sent));
      },
    });
  });
  return { url, downloads };
};

/** Creates an owner with many channels, all of them targets of one endpoint. */
const createBusyOwner = async (count = MANY) => {
  const { gateway } = harness;
  const owner_id = await gateway.createOwner();
  const channels: { id: string; chatId: string }[] = [];
  for (let i = 0; i < count; i++) channels.push(await gateway.createChannel(owner_id));
  const endpoint = await gateway.createEndpoint(owner_id, [await gateway.createProject(owner_id, channels)]);
  return {
    channels,
    publish: async (payload: object): Promise<string> => {
      const { status, body } = await endpoint.post('', payload);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.id;
    },
  };
};

const readPublications = async (post: string): Promise<Publication[]> =>
  (await harness.gateway.manage('GET', `/posts/${post}`)).publications;

const countEvents = async (publications: readonly Publication[]): Promise<number> => {
  const events = await Promise.all(publications.map(({ id }) => harness.gateway.readEvents(`publication-${id}`)));
  return events.flat().length;
};

const publishText = async (): Promise<void> => {
  await victim.waitForState(await victim.publish({ text: 'from another owner' }), 'published');
};

describe('downloads hold no slot of a network (D-68):', () => {
  it('60 channels with a photo from a slow host let another owner’s text pass, and write no event until it is there', async () => {
    const busy = await createBusyOwner();
    const { url, downloads } = serveSlowly();
    const post = await busy.publish({ text: 'a photo', media: [{ type: 'photo', url }] });
    await until('the download hangs', async () => downloads.length > 0);
    await publishText();
    const waiting = await until('all publications name their owner’s share', async () => {
      const found = await readPublications(post);
      return found.every(({ waiting_for }) => waiting_for?.rule === 'share') && found;
    });
    expect(waiting[0]!.waiting_for).toMatchObject({ until: null, event_id: null, blocked_by: null });
    expect(await countEvents(waiting)).toBe(0);
    expect(downloads).toHaveLength(1); // one download for all channels, and it still hangs
    downloads[0]!.finish();
    await until('all are published', async () =>
      (await readPublications(post)).every(({ state }) => state === 'published'),
    );
    // The start, the download's result, and the success.
    expect(await countEvents(waiting)).toBe(3 * MANY);
  });

  it('a try that fails is recorded by one of the channels, and the last one by each', async () => {
    const busy = await createBusyOwner(20);
    let asked = 0;
    const url = host.on('/down.jpg', (_, answer) => void (asked++, answer.writeHead(503).end()));
    const post = await busy.publish({ text: 'a photo', media: [{ type: 'photo', url }] });
    const tried = await until('a second try has failed', async () => asked > 1 && (await readPublications(post)));
    // More tries may have followed since the second one.
    expect(tried.filter(({ attempts }) => attempts.length > 0).length).toBeLessThanOrEqual(asked);
    expect(await countEvents(tried)).toBeLessThanOrEqual(3 * asked);
    await publishText();
    host.serve('/down.jpg', jpeg(30, 20));
    await until('all are published', async () =>
      (await readPublications(post)).every(({ state }) => state === 'published'),
    );
  });

  it('a channel continues as soon as the post that waits for its media is cancelled', async () => {
    const channel = await harness.createChannel('telegram');
    const { url, downloads } = serveSlowly();
    const first = await channel.publish({ text: 'a photo', media: [{ type: 'photo', url }] });
    const second = await channel.publish({ text: 'behind it' });
    await until('the download hangs', async () => downloads.length > 0);
    const { id } = await channel.readPublication(first);
    await harness.gateway.manage('POST', `/publications/${id}/cancel`, {});
    await channel.waitForState(second, 'published');
    expect((await channel.readPublication(first)).state).toBe('dismissed');
    await until('its download has ended', async () => downloads[0]!.isOver());
  });

  it('one owner’s hanging downloads leave room for another owner’s', async () => {
    const owner_id = await harness.gateway.createOwner();
    const slow = Array.from({ length: 8 }, () => Array.from({ length: 10 }, serveSlowly));
    for (const album of slow) {
      const channel = await harness.createChannel('telegram', { owner_id });
      await channel.publish({ text: 'album', media: album.map(({ url }) => ({ type: 'photo', url })) });
    }
    const countHanging = (): number =>
      slow.flat().flatMap(({ downloads }) => downloads.filter(({ isOver }) => !isOver())).length;
    await until('the owner uses its share of the downloads', () => countHanging() === DOWNLOADS / 2);
    const url = host.serve('/quick.jpg', jpeg(30, 20));
    const post = await victim.publish({ text: 'a photo', media: [{ type: 'photo', url }] });
    await victim.waitForState(post, 'published');
    await until('the owner still uses it', () => countHanging() === DOWNLOADS / 2);
  });
});

it('an owner with hundreds of due posts, whose calls hang, leaves slots to another owner (D-68)', async () => {
  const busy = await createBusyOwner();
  const { telegram } = harness.controls;
  for (const { chatId } of busy.channels)
    await telegram.addFault({ mode: 'hang', method: 'sendMessage', channel: chatId, times: 1 });
  // One after the other, so that this post is the first in every channel.
  const firstPost = await busy.publish({ text: 'post 1' });
  for (const n of [2, 3, 4]) await busy.publish({ text: `post ${n}` });
  await until('the network lets the owner wait', async () => {
    const states = (await readPublications(firstPost)).map(({ state }) => state);
    return states.filter((state) => state === 'publishing').length >= SLOTS / 2;
  });
  await publishText();
  const first = await readPublications(firstPost);
  expect(first.filter(({ state }) => state === 'published')).toEqual([]);
  expect(first.filter(({ state }) => state === 'publishing')).toHaveLength(SLOTS / 2);
});
