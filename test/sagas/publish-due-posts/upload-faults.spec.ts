import type { PublicationPostponed } from '../../../src/domain/publication/publication.events.js';
import type { Fault } from '../../../src/stand-ins/kit/faults.js';
import { png } from '../../media/make-images.js';
import { film } from '../../media/make-films.js';
import { TestHost } from '../../media/test-host.js';
import type { NetworkName } from '../../platforms/wire/networks.js';
import type { GivenFault } from './fault-table.js';
import { MovableClock, PublishingStage } from './publishing-harness.js';

const clock = new MovableClock();
let stage: PublishingStage;
let host: TestHost;
const media = { photo: '', video: '' };
beforeAll(async () => {
  host = await TestHost.start();
  media.photo = host.serve('/a.png', png(8, 8));
  media.video = host.serve('/a.mp4', film({ seconds: 3 }));
  stage = await PublishingStage.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off' });
  await stage.work({ clock });
});
afterAll(async () => {
  await stage.stop();
  await host.stop();
});

/** The calls by which a medium reaches a network, as its stand-in names them; none of them can be seen. */
const CHAINS: readonly (readonly [NetworkName, 'photo' | 'video', readonly string[]])[] = [
  ['vk', 'photo', ['photos.getWallUploadServer', 'upload.photo', 'photos.saveWallPhoto']],
  ['vk', 'video', ['video.save', 'upload.video']],
  ['max', 'photo', ['POST /uploads', 'upload']],
  ['max', 'video', ['POST /uploads', 'upload']],
  ['ok', 'photo', ['photosV2.getUploadUrl', 'upload.photo']],
  ['ok', 'video', ['video.getUploadUrl', 'upload.video', 'video.update']],
];
/** In the long run every fault at every call; else every third, so that each fault and each call has its turn. */
const EVERY = process.env['TEST_LONG'] ? 1 : 3;

/** What OK says to a film is not documented: after nothing at all its release tells whether the film is there. */
const NOT_TELLING = ['is answered with 200 and nothing', 'ok', 'video', 'upload.video'].join();
const CALLS = CHAINS.flatMap(([network, type, calls]) => calls.map((call) => [network, type, call] as const));

const FAULTS: Readonly<Record<string, GivenFault>> = {
  'breaks off before it is taken': { mode: 'drop_before_accepting' },
  'breaks off after it was taken': { mode: 'accept_then_drop' },
  'is answered with HTML and 502': { mode: 'answer', status: 502, body: '<html></html>' },
  'is answered with HTML and 200': { mode: 'accept_then_answer', status: 200, body: '<html></html>' },
  'is answered with 200 and nothing': { mode: 'accept_then_answer', status: 200, body: '' },
  'is answered with half an answer': { mode: 'accept_then_answer', status: 200, body: { response: 'x' }, cut_at: 5 },
  'is answered with JSON and 503': { mode: 'answer', status: 503, body: { message: 'busy' } },
  'is answered with 10 MB': { mode: 'answer', status: 500, body: 'x'.repeat(10_485_760) },
};

/** A post whose upload meets a fault on its way; answers how its first attempt ended, when it is published in the end. */
const overcome = async (network: NetworkName, type: 'photo' | 'video', fault: Partial<Fault> & Pick<Fault, 'mode'>) => {
  const line = await stage.line(network);
  await line.control.addFault(fault);
  const id = await line.send({ text: 'with a medium', media: [{ type, url: media[type] }] });
  const first = await line.outcome(id);
  const { retryAt, at } = first.data as PublicationPostponed['data'];
  if (first.type === 'PublicationPostponed') {
    clock.forward(retryAt - at);
    await stage.wake();
  }
  const { attempts } = await line.inState(id, 'published');
  expect(attempts).toHaveLength(2);
  expect(await line.wall()).toMatchObject([{ text: 'with a medium', media: [{ type }] }]);
  return first;
};

describe('an upload that fails midway is done again, is never in doubt, and stands there once (networks.md §3)', () => {
  // Stand-ins do not know whose an upload is: one at a time meets a fault.
  describe.each(Object.entries(FAULTS).map(([what, fault], i) => [what, fault, i] as const))('%s', (what, fault, n) => {
    const calls = CALLS.filter((call, i) => (n + i) % EVERY === 0 && [what, ...call].join() !== NOT_TELLING);
    it.each(calls)('%s, %s: %s', async (network, type, method) => {
      const { type: ended, data } = await overcome(network, type, { ...fault, method });
      expect(ended).toBe('PublicationPostponed');
      expect(data).toMatchObject({
        rule: 'retry',
        error: { source: expect.stringMatching(/^(?:gateway|vk|max|ok)$/) },
      });
    });
  });

  it.each(CALLS)('%s, %s: %s asks to slow down', async (network, type, method) => {
    const slow = { mode: 'answer', status: 429, body: '', headers: { 'retry-after': '7' }, method } as const;
    const { data } = await overcome(network, type, slow);
    expect(data).toMatchObject({ rule: 'platform_limit', error: { category: 'rate_limit' } });
    const { retryAt, at } = data as PublicationPostponed['data'];
    expect(retryAt - at).toBe(7_000);
  });
});
