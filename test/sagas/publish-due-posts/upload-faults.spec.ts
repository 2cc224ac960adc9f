import type { PublicationPostponed } from '../../../src/domain/publication/publication.events.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { png } from '../../media/make-images.js';
import { makeVideo } from '../../media/make-videos.js';
import { TestHost } from '../../media/test-host.js';
import type { NetworkName } from '../../platforms/wire/networks.js';
import type { CallFault } from './fault-table.js';
import { MovableClock, PublishingHarness } from './publishing-harness.js';

const clock = new MovableClock();
let harness: PublishingHarness;
let host: TestHost;
const media = { photo: '', video: '' };
beforeAll(async () => {
  host = await TestHost.start();
  media.photo = host.serve('/a.png', png(8, 8));
  media.video = host.serve('/a.mp4', makeVideo({ seconds: 3 }));
  harness = await PublishingHarness.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off' });
  await harness.startWorker({ clock });
});
afterAll(async () => {
  await harness.stop();
  await host.stop();
});

/** Calls that upload a medium, by the stand-in's names; readers see none of them. */
const CHAINS: readonly (readonly [NetworkName, 'photo' | 'video', readonly string[]])[] = [
  ['vk', 'photo', ['photos.getWallUploadServer', 'upload.photo', 'photos.saveWallPhoto']],
  ['vk', 'video', ['video.save', 'upload.video']],
  ['max', 'photo', ['POST /uploads', 'upload']],
  ['max', 'video', ['POST /uploads', 'upload']],
  ['ok', 'photo', ['photosV2.getUploadUrl', 'upload.photo']],
  ['ok', 'video', ['video.getUploadUrl', 'upload.video', 'video.update']],
];
/** The long run tests every fault at every call; the normal run every sixth combination, with each fault. */
const EVERY = process.env['TEST_LONG'] ? 1 : 6;

/**
 * OK does not document that an empty answer to a video upload means failure: only the release shows if the video
 * exists.
 */
const UNDOCUMENTED = ['is answered with an empty 200', 'ok', 'video', 'upload.video'].join();
const CALLS = CHAINS.flatMap(([network, type, calls]) => calls.map((call) => [network, type, call] as const));

const FAULTS: Readonly<Record<string, CallFault>> = {
  'breaks off before the call is accepted': { mode: 'drop_before_accepting' },
  'breaks off after the call was accepted': { mode: 'accept_then_drop' },
  'is answered with HTML and 502': { mode: 'answer', status: 502, body: '<html></html>' },
  'is answered with HTML and 200': { mode: 'accept_then_answer', status: 200, body: '<html></html>' },
  'is answered with an empty 200': { mode: 'accept_then_answer', status: 200, body: '' },
  'is answered with half an answer': { mode: 'accept_then_answer', status: 200, body: { response: 'x' }, cut_at: 5 },
  'is answered with JSON and 503': { mode: 'answer', status: 503, body: { message: 'busy' } },
  'is answered with 10 MB': { mode: 'answer', status: 500, body: 'x'.repeat(10_485_760) },
};

/** The last case on each network. */
const lastCases = new Map<NetworkName, Promise<unknown>>();
/** Runs one network's cases one after the other, and different networks' cases side by side. */
const runInTurn = <T>(network: NetworkName, runCase: () => Promise<T>): Promise<T> => {
  const running = (lastCases.get(network) ?? Promise.resolve()).then(runCase);
  lastCases.set(
    network,
    running.catch(() => undefined), // the case's own test reports it
  );
  return running;
};

/** Publishes a post whose upload fails once. @returns the outcome of its first attempt, after the post is published */
const publishDespiteFault = (
  network: NetworkName,
  type: 'photo' | 'video',
  fault: Partial<Fault> & Pick<Fault, 'mode'>,
) =>
  runInTurn(network, async () => {
    const channel = await harness.createChannel(network);
    await channel.control.addFault(fault);
    const id = await channel.publish({ text: 'with a medium', media: [{ type, url: media[type] }] });
    const first = await channel.waitForOutcome(id);
    const { retryAt, at } = first.data as PublicationPostponed['data'];
    if (first.type === 'PublicationPostponed') {
      clock.forward(retryAt - at);
      await harness.wakeWorkers();
    }
    const { attempts } = await channel.waitForState(id, 'published');
    expect(attempts).toHaveLength(2);
    expect(await channel.readWall()).toMatchObject([{ text: 'with a medium', media: [{ type }] }]);
    return first;
  });

describe('an upload that fails midway is repeated, never in doubt, and its post appears once (networks.md §3)', () => {
  // Stand-ins cannot attribute an upload to a channel: one fault at a time on each network.
  describe.each(Object.entries(FAULTS).map(([what, fault], i) => [what, fault, i] as const))('%s', (what, fault, n) => {
    const calls = CALLS.filter((call, i) => (n + i) % EVERY === 0 && [what, ...call].join() !== UNDOCUMENTED);
    it.concurrent.each(calls)('%s, %s: %s', async (network, type, method) => {
      const { type: ended, data } = await publishDespiteFault(network, type, { ...fault, method });
      expect(ended).toBe('PublicationPostponed');
      expect(data).toMatchObject({
        rule: 'retry',
        error: { source: expect.stringMatching(/^(?:gateway|vk|max|ok)$/) },
      });
    });
  });

  it.concurrent.each(CALLS)('%s, %s: %s is rate-limited', async (network, type, method) => {
    const slow = { mode: 'answer', status: 429, body: '', headers: { 'retry-after': '7' }, method } as const;
    const { data } = await publishDespiteFault(network, type, slow);
    expect(data).toMatchObject({ rule: 'platform_limit', error: { category: 'rate_limit' } });
    const { retryAt, at } = data as PublicationPostponed['data'];
    expect(retryAt - at).toBe(7_000);
  });
});
