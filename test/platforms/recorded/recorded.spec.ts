import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mediaFolder } from '../media-files.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../wire/networks.js';
import { Recorder } from '../wire/recorder.js';
import { FIXED_POSTS } from './fixed-posts.js';
import { Masking } from './masking.js';
import {
  compareAnswers,
  type Fixture,
  type FixtureFile,
  readFixture,
  RECORDED,
  recordOne,
  writeFixture,
} from './recording.js';
import { replay } from './replay.js';

/** Recordings of the real networks: see docs/real-networks.md. */
const REAL = fileURLToPath(new URL('./fixtures/', import.meta.url));

const VIDEO = { width: 640, height: 360, duration: 2 };

let files: Awaited<ReturnType<typeof mediaFolder>>;
let folder: string;
beforeAll(async () => {
  files = await mediaFolder();
  folder = await mkdtemp(join(tmpdir(), 'crosspost-recorded-'));
});
afterAll(async () => {
  await files.remove();
  await rm(folder, { recursive: true });
});

/** Makes the files of a post. */
const makeFiles = (all: readonly FixtureFile[]) =>
  Promise.all(all.map(async (file) => ({ ...file, path: await files.make(file.name, file.sizeBytes) })));

const filesOf = (name: string): FixtureFile[] =>
  (FIXED_POSTS[name]?.media ?? []).map(({ type, url }) => ({
    name: new URL(url).pathname.slice(1),
    sizeBytes: 64,
    ...(type === 'video' && { video: VIDEO }),
  }));

/** Records a stand-in as if it were the real network. */
const recordStandIn = async (network: NetworkName, name: string) => {
  const { start, address, credentials } = NETWORKS[network];
  const standIn = await start();
  try {
    const channel = { apiUrl: standIn.url, address, credentials, real: { certificates: [] } };
    return await recordOne(network, name, channel, await makeFiles(filesOf(name)));
  } finally {
    await standIn.stop();
  }
};

const lendOf = (all: Awaited<ReturnType<typeof makeFiles>>) => async (index: number) => {
  const { path, name, sizeBytes, video } = all[index]!;
  const mime = name.endsWith('.mp4') ? 'video/mp4' : 'image/png';
  return {
    path,
    sizeBytes: (await stat(path)).size || sizeBytes,
    mime,
    filename: name,
    video,
    isFitted: false,
    release: () => undefined,
  };
};

const isRecorded = (network: NetworkName, name: string): boolean => existsSync(join(REAL, network, `${name}.json`));

describe.each(NETWORK_NAMES)('%s', (network) => {
  it.each(RECORDED.filter((name) => name !== 'test-with-a-wrong-token' || isRecorded(network, name)))(
    '%s: the publisher makes the recorded calls, and reads the recorded answers',
    async (name) => {
      const file = isRecorded(network, name)
        ? join(REAL, network, `${name}.json`)
        : await recordStandIn(network, name).then(({ fixture, masking }) => writeFixture(folder, fixture, masking));
      const fixture = await readFixture(file);
      const { calls, ends } = await replay(fixture, lendOf(await makeFiles(fixture.files)));
      expect(calls).toEqual(
        fixture.calls.map(({ call, fields, files }) => ({ call, fields, ...(files && { files }) })),
      );
      expect(ends).toBe(fixture.ends);
      if (!isRecorded(network, name)) {
        expect(ends).toMatch(/^done$|passed/);
        expect(compareAnswers(fixture, fixture)).toEqual([]);
      }
    },
  );

  it('records nothing that is secret', async () => {
    const { credentials } = NETWORKS[network];
    for (const name of RECORDED) {
      const { fixture, masking } = await recordStandIn(network, name);
      const text = JSON.stringify(fixture);
      for (const secret of Object.values<string>(credentials)) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(encodeURIComponent(secret));
      }
      expect(fixture.calls.length).toBeGreaterThan(0);
      expect(() => masking.assertMasked(text)).not.toThrow();
    }
  });
});

it('records an address for uploads by the answer that gave it out, however it is encoded', async () => {
  const recorder = new Recorder([]);
  const path = '/elsewhere/aHR0cHM6Ly91/upload?apiToken=a%2Bb%3D%3D&photoIds=GuL9%2BlmctJOO';
  const json = (value: object) => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(value)) });
  const call = { method: 'POST', path: '/fb.do', headers: {}, body: Buffer.alloc(0) };
  await recorder.record(call, json({ upload_url: `http://127.0.0.1:1${path}` }));
  await recorder.record({ ...call, path }, json({}));
  expect(recorder.calls.map((one) => one.call)).toEqual(['POST /fb.do', 'POST {{1.upload_url}}']);
});

describe('a network that repeats credentials', () => {
  const token = '123456:AAtoken/with+signs-_0123456789';
  const masking = new Masking([token]);

  it.each([
    ['as they are', `the token ${token} is bad`],
    ['without the number', `AAtoken/with+signs-_0123456789`],
    ['in an address', `https://example.com/${encodeURIComponent(token)}`],
    ['in base64', Buffer.from(token).toString('base64')],
  ])('%s: they are masked', (_, text) => {
    const masked = JSON.stringify(masking.maskAnswer('getMe', { deep: [{ text }] }));
    expect(masked).toContain('***');
    expect(masked).not.toMatch(/AAtoken|QUF0b2tlb/);
    expect(() => masking.assertMasked(masked)).not.toThrow();
  });

  it('writes no file if one is left', async () => {
    const fixture: Fixture = { network: 'max', name: 'text', address: {}, files: [], calls: [], ends: `done ${token}` };
    await expect(writeFixture(join(folder, 'elsewhere'), fixture, masking)).rejects.toThrow(
      'a secret would be written',
    );
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  it('gives out values that are made up in the fixture, the same wherever they occur', () => {
    const all = new Masking([]);
    const address = 'https://upload.example/?key=secret-of-the-upload';
    expect(all.maskAnswer('photosV2.getUploadUrl', { upload_url: address, photo_ids: ['photo-id-12345'] })).toEqual({
      upload_url: '{{origin}}/masked-1',
      photo_ids: ['masked-2'],
    });
    expect(all.maskAnswer('upload pic1', { photos: { 'photo-id-12345': { token: 'token-of-the-photo' } } })).toEqual({
      photos: { 'masked-2': { token: 'masked-3' } },
    });
    expect(() => all.assertMasked('left: token-of-the-photo')).toThrow('a secret would be written');
    expect(() => all.assertMasked('?key=secret-of-the-upload')).toThrow('a secret would be written');
  });
});

it('says in words how answers differ', () => {
  const fixture = (body: unknown): Fixture => ({
    network: 'telegram',
    name: 'text',
    address: {},
    files: [],
    ends: 'done',
    calls: [{ call: 'POST', fields: {}, method: 'sendMessage', isRefusal: false, answer: { status: 200, body } }],
  });
  const message = { message_id: 1, date: 2, chat: { id: 3, type: 'channel', title: 'News' } };
  const other = { ...message, date: '2', chat: { id: 3, type: 'channel' }, views: 4 };
  expect(compareAnswers(fixture({ ok: true, result: other }), fixture({ ok: true, result: message }))).toEqual([
    'sendMessage: result.date is integer in the stand-in, and string in the network',
    'sendMessage: the stand-in has result.chat.title (string), the network does not',
    'sendMessage: the network has result.views (integer), the stand-in does not',
    "sendMessage: result.date is integer in the network's description, and string in its answer",
  ]);
});
