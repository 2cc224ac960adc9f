import sharp from 'sharp';
import type { Json, JsonObject } from '../../../../src/kernel/ids.js';
import { until } from '../../../e2e/until.js';
import { png } from '../../../media/make-images.js';
import { makeVideo, mp3, ogg, webm } from '../../../media/make-videos.js';
import { TestHost } from '../../../media/test-host.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../../../platforms/wire/networks.js';
import { type RecordedCall, Recorder } from '../../../platforms/wire/recorder.js';
import { startRelay } from '../../../platforms/wire/relay.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';

/** A call, as the sandbox shows it or as it was sent. */
interface Call {
  readonly method: string;
  readonly request: JsonObject;
}

let gateway: TestGateway;
let host: TestHost;
let endpoint: TestEndpoint;
const recorders = {} as Record<NetworkName, Recorder>;
const targets = {} as Record<NetworkName, string>;
const stops: (() => Promise<void>)[] = [];

/** Starts a new record of the calls to each network. */
const startRecording = (): void => {
  for (const name of NETWORK_NAMES) recorders[name] = new Recorder(Object.values(NETWORKS[name].credentials));
};

beforeAll(async () => {
  startRecording();
  const urls: Record<string, string> = {};
  for (const name of NETWORK_NAMES) {
    const network = await NETWORKS[name].start();
    const relay = await startRelay(network.url, {
      answered: (call, answer) => recorders[name].record(call, answer).then(() => true),
    });
    stops.push(() => relay.stop(), network.stop);
    urls[`${name.toUpperCase()}_API_URL`] = relay.url;
  }
  gateway = await TestGateway.start({ ...urls, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  host = await TestHost.start();
  const owner = await gateway.createOwner();
  for (const name of NETWORK_NAMES) {
    const { uploads: _, ...address } = NETWORKS[name].address as Record<string, string>;
    const body = { owner_id: owner, platform: name, name, credentials: { ...NETWORKS[name].credentials, ...address } };
    targets[name] = (await gateway.manage('POST', '/channels', body)).id;
  }
  const channels = Object.values(targets).map((id) => ({ id }));
  endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, channels)]);
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
  for (const stop of stops) await stop();
});

it('names the mistakes in a payload that publishing accepts (D-49)', async () => {
  const payload = {
    text: '<b>Ahoy</b>',
    medai: [],
    buttons: [[{ text: 'a', url: 'https://example.com/', stile: 1 }]],
  };
  const { status, body } = await endpoint.sandbox(payload);
  expect([status, body.warnings]).toEqual([
    200,
    [
      { code: 'unknown_field', path: 'medai', message: expect.stringContaining('did you mean media?') },
      { code: 'unknown_field', path: 'buttons[0][0].stile', message: expect.any(String) },
      { code: 'looks_like_html', path: 'text', message: expect.stringContaining('"<b>"') },
    ],
  ]);
  const refused = (await endpoint.sandbox({ txt: 'Ahoy' })).body;
  expect(refused).toMatchObject({ ok: false, warnings: [{ code: 'unknown_field', path: 'txt' }] });
  expect(refused.errors[0]).toContain('did you mean text?');
});

/** Fields of every call to a network: credentials and API version. The sandbox omits them. */
const COMMON_FIELDS: Readonly<Record<NetworkName, readonly string[]>> = {
  telegram: [],
  vk: ['access_token', 'v'],
  max: [],
  ok: ['application_key', 'access_token', 'format', 'sig'],
};

/** A form carries numbers and truth values as text; the sandbox shows Telegram's as they are. */
const readFormValue = (value: Json): Json =>
  typeof value === 'string' && /^(?:true|false|\d+)$/.test(value) ? (JSON.parse(value) as Json) : value;

/** Converts recorded calls: the network's own method name, and query, fields and files together. */
const convertCalls = (network: NetworkName, recorded: readonly RecordedCall[]): Call[] => {
  const calls: Call[] = [];
  for (const { call, fields, files } of recorded) {
    const [, path = '', query = ''] = /^POST ([^? ]+)(?:\?([^ ]+))?/.exec(call)!;
    const [, number, field] = /^\{\{(\d+)\.(?:\w+\.)*(\w+)\}\}$/.exec(path) ?? [];
    const all = { ...Object.fromEntries(new URLSearchParams(query)), ...fields, ...files } as Record<string, Json>;
    const { method: named, ...parameters } = network === 'ok' ? all : { ...all, method: undefined };
    const api = { telegram: /[^/]+$/.exec(path)?.[0], vk: /[^/]+$/.exec(path)?.[0], max: `POST ${path}`, ok: named };
    calls.push({
      method: field ? `POST <${field} of ${calls[Number(number) - 1]!.method}>` : (api[network] as string),
      request: Object.fromEntries(
        Object.entries(parameters)
          .filter(([name]) => !COMMON_FIELDS[network].includes(name))
          .map(([name, value]) => [name, network === 'telegram' && files ? readFormValue(value) : value]),
      ),
    });
  }
  return calls;
};

/** Returns a matcher that compares a sent value with the shown one; a placeholder matches anything. */
const matcherFor = (shown: Json | undefined, name = ''): unknown => {
  if (typeof shown === 'string')
    return /^<file of .*>$/.test(shown) ? expect.stringMatching(/bytes$/) : matchText(shown);
  if (typeof shown !== 'object' || shown === null) return shown;
  if ('$from' in shown) return expect.anything();
  if (!Array.isArray(shown))
    return Object.fromEntries(Object.entries(shown as JsonObject).map(([key, value]) => [key, matcherFor(value, key)]));
  // VK's form sends them in one field.
  if (name === 'attachments' && shown.every((one: JsonObject) => '$from' in one))
    return expect.stringMatching(new RegExp(`^[^,]+(?:,[^,]+){${shown.length - 1}}$`));
  return shown.map((one: Json) => matcherFor(one));
};
const matchText = (shown: string): unknown => (/^<.*>$/.test(shown) ? expect.anything() : shown);

const waitUntilPublished = (post: string) =>
  until(`${post} is published`, async () => {
    const { publications } = await gateway.manage('GET', `/posts/${post}`);
    return publications.every(({ state }: { state: string }) => ['published', 'filtered'].includes(state));
  });

const words = (count: number): string => `${'word '.repeat(count)}.`;
const buttons = [[{ text: 'More', url: 'https://example.com/more' }]];
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#802020' } });
const photo = (name: string, bytes = png(10, 10)) => ({ type: 'photo', url: host.serve(`/${name}`, bytes) });
const sound = (name: string, bytes: Buffer) => ({ type: 'audio', url: host.serve(`/${name}`, bytes) });
const video = (name: string, bytes = makeVideo({ seconds: 2 })) => ({
  type: 'video',
  url: host.serve(`/${name}`, bytes),
});

describe('the sandbox and publishing make the same calls, one by one (D-38), for', () => {
  it.each<[string, () => object | Promise<object>]>([
    ['text', () => ({ text: 'Ahoy <you>', entities: [{ type: 'bold', offset: 0, length: 4 }], buttons })],
    ['an advertisement that is too long', () => ({ text: words(4_000).slice(-15_895), is_advertisement: true })],
    ['a photo with a caption and buttons', () => ({ text: 'Ahoy', media: [photo('one.png')], buttons })],
    ['a video', () => ({ media: [video('Ein%20Schiff.mp4')] })],
    [
      'photos and videos, with a text too long for a caption',
      () => ({
        text: words(300),
        buttons,
        media: [photo('a.png'), video('b.mp4'), photo('c.png'), video('d', webm(2))],
      }),
    ],
    [
      'audio files and a photo',
      () => ({
        text: 'Ahoy',
        media: [sound('a.mp3', mp3()), photo('b.png'), sound('c.ogg', ogg()), sound('d.mp3', mp3())],
      }),
    ],
    [
      'photos that have to be re-encoded, and one that cannot be',
      async () => ({
        text: 'Ahoy',
        media: [
          photo('small.webp', await picture(10, 10).webp().toBuffer()),
          photo('wide.png', await picture(8_000, 3_000).png().toBuffer()),
          photo('strip.png', png(3_000, 100)),
        ],
      }),
    ],
  ])('%s', async (_, made) => {
    const payload = await made();
    const { preview } = (await endpoint.sandbox(payload)).body;
    startRecording();
    const { body } = await endpoint.post('', payload);
    expect(body.queued_targets).toBe(4);
    await waitUntilPublished(body.id);
    for (const network of NETWORK_NAMES) {
      const { requests } = preview[network] as { requests: (Call & { target_id: string })[] };
      const sent = convertCalls(network, recorders[network].calls);
      expect(sent.length).toBeGreaterThan(0);
      expect({ network, calls: sent }).toEqual({
        network,
        calls: requests.map(({ method, request }) => ({ method, request: matcherFor(request) })),
      });
      expect(new Set(requests.map(({ target_id }) => target_id))).toEqual(new Set([targets[network]]));
    }
  });
});

describe('a value that is not known yet', () => {
  it('is shown as a readable placeholder', async () => {
    const media = [photo('p.png'), video('v.mp4', makeVideo({ seconds: 1 }))];
    const { preview } = (await endpoint.sandbox({ text: 'Ahoy', media })).body;
    const calls = (network: NetworkName) =>
      preview[network].requests.map(({ step, method, request }: Call & { step: string }) => [step, method, request]);
    const [p, v] = media.map(({ url }) => `<file of ${url}>`);
    expect(calls('telegram')[0][2]).toMatchObject({ 'photo-0': p, 'video-1': v });
    const ofUpload = (what: string) => `<${what} of the upload>`;
    expect(calls('vk').slice(0, -1)).toEqual([
      ['media-1', 'photos.getWallUploadServer', { group_id: '7' }],
      ['media-1', 'POST <upload_url of photos.getWallUploadServer>', { photo: p }],
      [
        'media-1',
        'photos.saveWallPhoto',
        { group_id: '7', server: ofUpload('server'), photo: ofUpload('photo'), hash: ofUpload('hash') },
      ],
      ['media-2', 'video.save', { group_id: '7', name: 'v', wallpost: '0' }],
      ['media-2', 'POST <upload_url of video.save>', { video_file: v }],
    ]);
    expect(calls('max').slice(0, -1)).toEqual([
      ['upload-0', 'POST /uploads', { type: 'image' }],
      ['upload-0', 'POST <url of POST /uploads>', { data: p }],
      ['upload-1', 'POST /uploads', { type: 'video' }],
      ['upload-1', 'POST <url of POST /uploads>', { data: v }],
    ]);
    const file_size = String(makeVideo({ seconds: 1 }).length);
    expect(calls('ok').slice(0, -1)).toEqual([
      ['media-1', 'photosV2.getUploadUrl', { gid: '70', count: '1' }],
      ['media-1', 'POST <upload_url of photosV2.getUploadUrl>', { pic1: p }],
      ['media-2', 'video.getUploadUrl', { file_name: 'v.mp4', file_size }],
      ['media-2', 'POST <upload_url of video.getUploadUrl>', { data: v }],
      ['media-2', 'video.update', { vid: '<video_id of video.getUploadUrl>' }],
      ['media-2', 'video.get', { vids: '<video_id of video.getUploadUrl>', fields: 'video.status' }],
    ]);
    expect(JSON.stringify(preview)).not.toContain('undefined');
    for (const { credentials } of Object.values(NETWORKS))
      for (const secret of Object.values(credentials)) expect(JSON.stringify(preview)).not.toContain(secret);
  });

  it('is shown for name and size of a video that was not probed', async () => {
    const url = host.on('/down.mp4', (_, response) => response.writeHead(503).end());
    const { preview } = (await endpoint.sandbox({ media: [{ type: 'video', url }] })).body;
    expect(preview.ok.requests[0].request).toEqual({
      file_name: '<name of the file>',
      file_size: '<size of the file>',
    });
  });
});
