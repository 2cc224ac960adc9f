import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Caller,
  type CreatedEndpoint,
  createEndpoint,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import { gif, jpeg, png, webp } from '../media/make-images.js';
import { m4a, makeVideo, mp3, ogg, webm } from '../media/make-videos.js';

let harness: ManagementHarness;
let owner: TestOwner;
let endpoint: CreatedEndpoint;
beforeAll(async () => {
  harness = await startHarness();
  owner = await createOwner(harness);
  endpoint = await createEndpoint(owner, []);
});
afterAll(() => harness.stop());

/** Uploads with an endpoint's token, or with a management key. */
const upload = async (
  body: string | Buffer | FormData,
  headers: Readonly<Record<string, string>> = {},
  { path = '/v1/media', key = endpoint.token } = {},
) => {
  const answer = await fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: body as FormData,
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse((await answer.text()) || '{}') };
};

const RAW = { 'content-type': 'application/octet-stream' };
const sha256 = (bytes: Buffer, as: 'hex' | 'base64' = 'hex'): string => createHash('sha256').update(bytes).digest(as);

describe('an upload', () => {
  it('is answered with what the bytes show', async () => {
    const bytes = png(320, 200);
    const { status, body } = await upload(bytes, {
      'content-type': 'video/mp4',
      'content-disposition': `attachment; filename*=UTF-8''%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82%0A.png`,
    });
    expect([status, body]).toEqual([
      201,
      {
        ok: true,
        id: expect.stringMatching(/^med_[0-9a-f]{32}$/),
        type: 'photo',
        mime: 'image/png',
        bytes: bytes.length,
        sha256: sha256(bytes),
        filename: 'Привет.png',
        width: 320,
        height: 200,
        duration_seconds: null,
        url: expect.stringMatching(/\/media\/med_[0-9a-f]{32}\/[\w-]{22}\.png$/),
        created_at: expect.any(String),
        expires_at: expect.any(String),
        kept_for: null,
      },
    ]);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(30 * 86_400_000);
    const file = await fetch(body.url);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });

  it.each<[string, () => Buffer, string, string, string]>([
    ['JPEG', () => jpeg(40, 30), 'photo', 'image/jpeg', 'jpg'],
    ['WebP', () => webp(40, 30), 'photo', 'image/webp', 'webp'],
    ['MP4', () => makeVideo({ seconds: 4 }), 'video', 'video/mp4', 'mp4'],
    ['WebM', () => webm(3), 'video', 'video/webm', 'webm'],
    ['MP3', () => mp3(), 'audio', 'audio/mpeg', 'mp3'],
    ['M4A', () => m4a(), 'audio', 'audio/mp4', 'm4a'],
    ['Ogg', () => ogg(), 'audio', 'audio/ogg', 'ogg'],
  ])('of %s is recognised', async (_, make, type, mime, extension) => {
    const { status, body } = await upload(make(), RAW);
    expect([status, body.type, body.mime, body.url.split('.').pop()]).toEqual([201, type, mime, extension]);
  });

  it('may be a multipart body with one file', async () => {
    const bytes = jpeg(64, 48);
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), '../../etc/passwd');
    const { status, body } = await upload(form);
    expect([status, body.filename, body.sha256]).toEqual([201, '../../etc/passwd', sha256(bytes)]);
  });

  it('of the same content has the same id, and one of parallel uploads is new', async () => {
    const bytes = png(33, 33);
    const answers = await Promise.all([1, 2, 3].map(() => upload(bytes, RAW)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const other = await createOwner(harness);
    const foreign = await upload(bytes, RAW, { path: '/manage/v1/media', key: other.caller.key });
    expect(foreign.status).toBe(201);
    expect(foreign.body.id).not.toBe(answers[0]!.body.id);
    expect(foreign.body.url).not.toBe(answers[0]!.body.url);
  });

  it('keeps what its digest says', async () => {
    const bytes = png(21, 21);
    const digest = (value: string) => ({ ...RAW, 'content-digest': value });
    expect((await upload(bytes, digest(`sha-256=:${sha256(bytes, 'base64')}:`))).status).toBe(201);
    const wrong = await upload(png(22, 21), digest(`sha-256=:${sha256(bytes, 'base64')}:`));
    expect([wrong.status, wrong.body.code]).toEqual([400, 'digest_mismatch']);
    expect((await upload(bytes, digest('sha-256=:AAAA:'))).body.code).toBe('digest_mismatch');
  });

  it.each<[string, () => string | Buffer, Readonly<Record<string, string>>, number, string]>([
    ['another media type', () => 'x', { 'content-type': 'text/html' }, 415, 'unsupported_media_type'],
    ['compression', () => 'x', { ...RAW, 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['no bytes', () => '', RAW, 400, 'media_empty'],
    ['a web page', () => '<!doctype html><p>Hello', RAW, 400, 'media_format'],
    ['a GIF', () => gif(), RAW, 400, 'media_format'],
    ['random bytes', () => Buffer.alloc(100_000, 'zq'), RAW, 400, 'media_format'],
    ['too many pixels', () => png(6_000, 5_000), RAW, 400, 'media_too_many_pixels'],
    ['a video that is too long', () => makeVideo({ seconds: 1_801 }), RAW, 400, 'media_too_long'],
    [
      'a photo that is too large',
      () => Buffer.concat([png(5, 5), Buffer.alloc(21_000_000)]),
      RAW,
      400,
      'media_too_large',
    ],
    ['a cut-off photo', () => jpeg(30, 30).subarray(0, 12), RAW, 400, 'media_damaged'],
    [
      'a multipart body without boundary',
      () => 'x',
      { 'content-type': 'multipart/form-data' },
      422,
      'invalid_multipart',
    ],
  ])('refuses %s', async (_, body, headers, status, code) => {
    const answer = await upload(body(), headers);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('refuses two parts, other fields, and parts without a file', async () => {
    const file = new Blob([new Uint8Array(png(9, 9))]);
    const forms = [new FormData(), new FormData(), new FormData()] as const;
    forms[0].append('file', file, 'a.png');
    forms[0].append('file', file, 'b.png');
    forms[1].append('photo', file, 'a.png');
    forms[2].append('file', 'text');
    for (const form of forms)
      expect(await upload(form)).toMatchObject({ status: 422, body: { code: 'invalid_multipart' } });
  });

  it('needs the token of a live endpoint', async () => {
    const test = await createEndpoint(owner, [], { mode: 'test' });
    for (const key of ['wrong', test.token])
      expect(await upload(png(4, 4), RAW, { path: '/v1/media', key })).toMatchObject({ status: 401 });
  });

  it('is in the request log of its endpoint', async () => {
    await upload(png(7, 7), RAW);
    await upload('x', { 'content-type': 'text/html' });
    await until('both are logged', async () => {
      const { body } = await owner.caller.get(`/endpoints/${endpoint.id}/requests`);
      const logged = body.items.filter(({ route }: { route: string }) => route === 'POST /v1/media');
      const decisions = logged.map(
        ({ decision, http_status }: { decision: string; http_status: number }) => `${decision} ${http_status}`,
      );
      return decisions.includes('accepted 201') && decisions.includes('rejected_validation 415');
    });
  });
});

describe('uploaded files', () => {
  it('belong to their owner alone', async () => {
    const other = await createOwner(harness);
    const { body } = await upload(png(12, 12), RAW);
    for (const call of [other.caller.get(`/media/${body.id}`), other.caller.delete(`/media/${body.id}`)])
      expect((await call).status).toBe(404);
    expect((await other.caller.get('/media').expect(200)).body.items).toEqual([]);
    await other.caller.get(`/media?owner_id=${owner.id}`).expect(404);
    const shown = (await owner.caller.get(`/media/${body.id}`).expect(200)).body;
    expect(shown).toMatchObject({ id: body.id, owner_id: owner.id, used_by: { count: 0, post_ids: [] } });
    expect(shown).not.toHaveProperty('missing');
  });

  it('are listed, newest first, by type and in pages', async () => {
    const lister = await createOwner(harness);
    const send = (bytes: Buffer) => upload(bytes, RAW, { path: '/manage/v1/media', key: lister.caller.key });
    const ids = [];
    for (const bytes of [png(50, 1), png(51, 1), mp3(30)]) ids.push((await send(bytes)).body.id);
    const first = (await lister.caller.get('/media?limit=2').expect(200)).body;
    const second = (await lister.caller.get(`/media?limit=2&cursor=${first.next}`).expect(200)).body;
    const listed = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
    expect(listed).toEqual([...ids].reverse());
    expect((await lister.caller.get('/media?type=audio').expect(200)).body.items).toHaveLength(1);
    const { body } = await lister.caller.get(`/owners/${lister.id}`).expect(200);
    expect(body.media_bytes).toEqual({ used: expect.any(Number), allowed: 500 * 1_024 ** 3 });
    expect(body.media_bytes.used).toBeGreaterThan(0);
  });

  it('are gone everywhere after a deletion, and new after another upload', async () => {
    const bytes = png(60, 61);
    const { body } = await upload(bytes, RAW);
    await owner.caller.delete(`/media/${body.id}`).expect(204);
    await owner.caller.get(`/media/${body.id}`).expect(404);
    expect((await fetch(body.url)).status).toBe(404);
    await owner.caller.delete(`/media/${body.id}`).expect(404);
    const again = await upload(bytes, RAW);
    expect([again.status, again.body.id]).toEqual([201, body.id]);
    expect(again.body.url).not.toBe(body.url);
    expect((await fetch(body.url)).status).toBe(404);
    expect((await fetch(again.body.url)).status).toBe(200);
    const { body: history } = await owner.caller.get(`/history/media/${body.id}`).expect(200);
    expect(JSON.stringify(history)).toContain('MediaDeleted');
  });

  it('are erased with their owner', async () => {
    const doomed = await createOwner(harness);
    const { body } = await upload(png(70, 71), RAW, { path: '/manage/v1/media', key: doomed.caller.key });
    const folder = join(harness.running.settings.dataDir, 'uploads', doomed.id);
    expect(await readdir(folder)).toHaveLength(1);
    await operatorCaller(harness).delete(`/owners/${doomed.id}`).expect(204);
    expect((await fetch(body.url)).status).toBe(404);
    await until('the store has erased it', async () => (await readdir(folder)).length === 0);
  });

  it('are served in ranges, to HEAD, and not under a wrong address', async () => {
    const bytes = png(80, 81);
    const { body } = await upload(bytes, RAW);
    const read = async (headers: Record<string, string>, method = 'GET') => {
      const answer = await fetch(body.url, { method, headers });
      return [answer.status, answer.headers.get('content-range'), Buffer.from(await answer.arrayBuffer()).length];
    };
    const { length } = bytes;
    expect(await read({ range: 'bytes=2-5' })).toEqual([206, `bytes 2-5/${length}`, 4]);
    expect(await read({ range: 'bytes=-3' })).toEqual([206, `bytes ${length - 3}-${length - 1}/${length}`, 3]);
    expect((await read({ range: `bytes=${length}-` }))[0]).toBe(416);
    expect(await read({}, 'HEAD')).toEqual([200, null, 0]);
    expect((await fetch(body.url.replace(/.\.png$/, '0.png'))).status).toBe(404);
    expect((await fetch(body.url.replace(/\.png$/, '.html'))).status).toBe(404);
  });

  it('are uploaded by the operator for an owner', async () => {
    const operator = operatorCaller(harness);
    const send = (path: string) => upload(png(90, 1), RAW, { path, key: operator.key });
    expect(await send('/manage/v1/media')).toMatchObject({ status: 422 });
    expect(await send('/manage/v1/media?owner_id=own_none')).toMatchObject({ status: 422 });
    expect(await send(`/manage/v1/media?owner_id=${owner.id}`)).toMatchObject({ status: 201 });
    expect(new Caller(harness, 'x').key).toBe('x');
  });
});
