import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type S3StandIn, startS3StandIn } from '../../stand-ins/s3/s3-stand-in.js';
import {
  createEndpoint,
  createOwner,
  type ManagementHarness,
  startHarness,
  type TestOwner,
} from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import { png } from '../media/make-images.js';

const RAW = { 'content-type': 'application/octet-stream' };

/** Returns a photo of this many bytes; `seed` makes it a different one. */
const photoOf = (bytes: number, seed: number): Buffer => {
  const photo = Buffer.alloc(bytes, seed);
  png(10 + seed, 10).copy(photo);
  return photo;
};

const uploadTo = async (
  harness: ManagementHarness,
  key: string,
  body: unknown,
  headers = {},
  path = '/manage/v1/media',
) => {
  const init = { method: 'POST', headers: { authorization: `Bearer ${key}`, ...RAW, ...headers }, duplex: 'half' };
  const answer = await fetch(harness.url + path, { ...init, body } as RequestInit);
  return { status: answer.status, headers: answer.headers, body: JSON.parse((await answer.text()) || '{}') };
};

/** Repeats an upload while there are too many at once. */
const uploadInTurn = (harness: ManagementHarness, { caller }: TestOwner, makeBody: () => unknown) =>
  until('it has its turn', async () => {
    const answer = await uploadTo(harness, caller.key, makeBody());
    return answer.status !== 429 && answer;
  });

/** Sends bytes without saying how many. */
const streamOf = (bytes: Buffer): ReadableStream =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 16_384) controller.enqueue(bytes.subarray(at, at + 16_384));
      controller.close();
    },
  });

describe('the quota of uploads', () => {
  let folder: string;
  let harness: ManagementHarness;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'limits-'));
    const profiles = JSON.parse(
      readFileSync(new URL('../../src/config/limits-profiles.json', import.meta.url), 'utf8'),
    );
    profiles.A.plans.mini.resources.media_bytes = 1_000_000;
    profiles.A.uploads_per_minute = null;
    await writeFile(join(folder, 'limits.json'), JSON.stringify(profiles.A));
    harness = await startHarness({ LIMITS_PROFILE: join(folder, 'limits.json') });
  });
  afterAll(async () => {
    await harness.stop();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['with a length', (bytes: Buffer) => bytes as unknown],
    ['without a length', streamOf],
  ])('is exact under parallel uploads %s', async (_, bodyOf) => {
    const owner = await createOwner(harness, 'mini');
    const each = Array.from({ length: 50 }, (_, i) => uploadInTurn(harness, owner, () => bodyOf(photoOf(100_000, i))));
    const statuses = (await Promise.all(each)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 402)).toHaveLength(40);
    const { body } = await owner.caller.get(`/owners/${owner.id}`).expect(200);
    expect(body.media_bytes).toEqual({ used: 1_000_000, allowed: 1_000_000 });
  });

  it('leaves room after a deletion, and none is needed for what is there already', async () => {
    const owner = await createOwner(harness, 'mini');
    const photo = photoOf(900_000, 60);
    const first = await uploadTo(harness, owner.caller.key, photo);
    const refused = await uploadTo(harness, owner.caller.key, photoOf(200_000, 61));
    expect(refused.body).toMatchObject({ code: 'resource_limit', resource: 'media_bytes', existing: 900_000 });
    const digest = `sha-256=:${createHash('sha256').update(photo).digest('base64')}:`;
    expect((await uploadTo(harness, owner.caller.key, photo, { 'content-digest': digest })).status).toBe(200);
    await owner.caller.delete(`/media/${first.body.id}`).expect(204);
    expect((await uploadTo(harness, owner.caller.key, photoOf(200_000, 61))).status).toBe(201);
  });
});

describe('the pace of uploads', () => {
  it('is 60 a minute for an endpoint, and no violation', async () => {
    const harness = await startHarness();
    const owner = await createOwner(harness);
    const { id, token } = await createEndpoint(owner, []);
    await harness.running.infrastructure.pool.query(
      `insert into ops_budget (payer_id, budget, minute_times) values ($1, 'uploads', array_fill(now(), array[59]))`,
      [id],
    );
    const send = (seed: number) => uploadTo(harness, token, photoOf(1_000, seed), {}, '/v1/media');
    expect((await send(1)).status).toBe(201);
    const refused = await send(2);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_uploads']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await owner.caller.get(`/endpoints/${id}`).expect(200)).body.disabled_by ?? null).toBeNull();
    await harness.stop();
  });
});

describe('downloads', () => {
  it('are at most 32 of one owner at once, and those that readers break off do not count', async () => {
    const harness = await startHarness();
    const { caller } = await createOwner(harness);
    const { body } = await uploadTo(harness, caller.key, photoOf(20_000_000, 9));
    const read = (signal: AbortSignal | null = null) => fetch(body.url, { signal });
    const stop = new AbortController();
    const running = await Promise.all(Array.from({ length: 32 }, () => read(stop.signal)));
    expect(running.map(({ status }) => status)).toEqual(Array(32).fill(200));
    const refused = await read();
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, 'too_many_downloads']);
    stop.abort();
    await until('there is room again', async () => {
      const { status, body: content } = await read();
      await content!.cancel();
      return status === 200;
    });
    // Some of these readers are gone before the file is found.
    const { hostname, port, pathname } = new URL(body.url);
    for (let i = 0; i < 200; i++) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
      await new Promise((resolve) => setTimeout(resolve, (i % 5) + 1));
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    // And these wait behind the first answer of their connection.
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`.repeat(40));
    await once(socket, 'data');
    socket.resetAndDestroy();
    await until('all of them have ended', async () => {
      const answers = await Promise.all(Array.from({ length: 32 }, () => read()));
      await Promise.all(answers.map(({ body: content }) => content!.cancel()));
      return answers.every(({ status }) => status === 200);
    });
    await harness.stop();
  });
});

describe('a slow upload', () => {
  // The time limit for other requests is 30 s.
  const SECONDS = process.env.TEST_LONG ? 45 : 3;

  it(`may take ${SECONDS} seconds, and ends when nothing arrives`, async () => {
    const harness = await startHarness({}, { uploadTimes: { idleMs: 4_000, totalMs: 600_000 } });
    const { caller } = await createOwner(harness);
    const photo = photoOf(100_000, 8);
    const slow = (isStalling: boolean) =>
      new ReadableStream({
        async start(controller) {
          for (let i = 0; i < SECONDS; i++) {
            controller.enqueue(photo.subarray((i * 100_000) / SECONDS, ((i + 1) * 100_000) / SECONDS));
            await new Promise((resolve) => setTimeout(resolve, 1_000));
            if (isStalling) return;
          }
          controller.close();
        },
      });
    expect((await uploadTo(harness, caller.key, slow(false))).status).toBe(201);
    const stalled = await uploadTo(harness, caller.key, slow(true));
    expect([stalled.status, stalled.body.code]).toEqual([408, 'upload_stalled']);
    expect((await caller.get('/media').expect(200)).body.items).toHaveLength(1);
    await harness.stop();
  });
});

describe('a signed upload', () => {
  it('covers the digest and nothing that has not arrived', async () => {
    const harness = await startHarness();
    const owner = await createOwner(harness);
    const more = { require_signature: true };
    const { body: endpoint } = await owner.caller
      .post('/endpoints', { project_ids: [], mode: 'live', ...more })
      .expect(201);
    const secret = endpoint.signing_secret as string;
    const photo = photoOf(1_000, 3);
    const digest = `sha-256=:${createHash('sha256').update(photo).digest('base64')}:`;
    const send = (path = '/v1/media', of = digest, timestamp = String(Math.floor(Date.now() / 1_000))) =>
      uploadTo(
        harness,
        endpoint.token,
        photo,
        {
          'content-digest': digest,
          'x-service-timestamp': timestamp,
          'x-service-client-signature': createHmac('sha256', secret)
            .update(`POST\n${path}\n${timestamp}\n${of}`)
            .digest('hex'),
        },
        '/v1/media',
      );
    expect((await send()).status).toBe(201);
    for (const wrong of [send('/v1/other'), send('/v1/media', 'sha-256=:x:'), send('/v1/media', digest, '1000')])
      expect((await wrong).status).toBe(401);
    expect((await uploadTo(harness, endpoint.token, photo, {}, '/v1/media')).status).toBe(401);
    await harness.stop();
  });
});

describe('the store of uploaded files', () => {
  it('erases files that have expired, and what uploads left behind', async () => {
    // 30 minutes of 20 ms are 0.6 s.
    const harness = await startHarness({ MEDIA_DAYS: '0.0001', MINUTE_MS: '20' });
    const owner = await createOwner(harness);
    const { body } = await uploadTo(harness, owner.caller.key, photoOf(1_000, 4));
    const folder = join(harness.running.settings.dataDir, 'uploads', owner.id);
    const old = new Date(Date.now() - 60_000);
    for (const name of ['0'.repeat(32), `${'1'.repeat(32)}.partial`]) {
      await writeFile(join(folder, name), 'left');
      await utimes(join(folder, name), old, old);
    }
    await until('the remains are gone', async () => {
      const names = await readdir(folder);
      return !names.some((name) => name.startsWith('000') || name.startsWith('111'));
    });
    await until('no answer shows it', async () => (await fetch(body.url)).status === 404);
    await owner.caller.get(`/media/${body.id}`).expect(404);
    await until('it is erased', async () => (await readdir(folder)).length === 0);
    const { body: history } = await owner.caller.get(`/history/media/${body.id}`).expect(200);
    expect(JSON.stringify(history)).toContain('expired');
    await harness.stop();
  });

  it('keeps the file of an upload whose event comes late', async () => {
    const harness = await startHarness({ MINUTE_MS: '20' });
    const owner = await createOwner(harness);
    await uploadTo(harness, owner.caller.key, photoOf(1_000, 8)); // makes the folder
    const folder = join(harness.running.settings.dataDir, 'uploads', owner.id);
    const writeOld = async (name: string): Promise<void> => {
      await writeFile(join(folder, name), 'old');
      await utimes(join(folder, name), new Date(0), new Date(0));
    };
    const isGone = async (name: string): Promise<boolean> => !(await readdir(folder)).includes(name);
    const [late, left] = ['2'.repeat(32), '3'.repeat(32)];
    const { pool } = harness.running.infrastructure;
    const row = `insert into ops_upload (file, owner_id, bytes, media_id) values ($1, $2, 3, 'med_late')`;
    await pool.query(row, [`${owner.id}/${late}`, owner.id]);
    await writeOld(late);
    await writeOld(left);
    await until('a file without an upload is gone', () => isGone(left));
    expect(await isGone(late)).toBe(false);
    await pool.query(`update ops_upload set renewed_at = now() - interval '2 minutes'`);
    await until('its process has died, and it is gone', () => isGone(late));
    await harness.stop();
  });

  it('must have the mark of this gateway', async () => {
    const harness = await startHarness({ ROLES: 'all' });
    const { pool } = harness.running.infrastructure;
    const folder = await mkdtemp(join(tmpdir(), 'uploads-'));
    const { FolderStore } = await import('../../src/uploads/folder-store.js');
    const { StoreStatus } = await import('../../src/uploads/store-status.js');
    const { silentLog } = await import('../../src/kernel/log.js');
    const claim = () => new StoreStatus(pool, new FolderStore(folder), silentLog).claim();
    await expect(claim()).rejects.toThrow(/^MEDIA_STORE is not the store of this gateway/);
    await new FolderStore(folder).writeMark('another');
    await expect(claim()).rejects.toThrow(/^MEDIA_STORE belongs to another gateway/);
    await rm(folder, { recursive: true });
    await harness.stop();
  });
});

describe('a store on S3', () => {
  let server: S3StandIn;
  let harness: ManagementHarness;
  let owner: TestOwner;
  beforeAll(async () => {
    server = await startS3StandIn();
    harness = await startHarness({
      MEDIA_STORE: `s3://${server.bucket}/files`,
      MEDIA_S3_ENDPOINT: server.url,
      MEDIA_S3_ACCESS_KEY_ID: server.accessKeyId,
      MEDIA_S3_SECRET_ACCESS_KEY: server.secretAccessKey,
      MINUTE_MS: '20',
    });
    owner = await createOwner(harness);
  });
  afterAll(async () => {
    await harness.stop();
    await server.stop();
    expect(server.refused).toEqual([]);
  });

  const upload = (bytes: Buffer) => uploadTo(harness, owner.caller.key, bytes);
  const degraded = async (): Promise<string[]> => {
    const report = (await (await fetch(`${harness.url}/readyz`)).json()) as { degraded: { name: string }[] };
    return report.degraded.map(({ name }) => name);
  };

  it('keeps files, in parts if they are large, and erases them', async () => {
    const photo = photoOf(12_000_000, 5);
    const { status, body } = await upload(photo);
    expect([status, body.type]).toEqual([201, 'photo']);
    expect(server.calls).toContain('CompleteMultipartUpload');
    expect(Buffer.from(await (await fetch(body.url)).arrayBuffer()).equals(photo)).toBe(true);
    const part = await fetch(body.url, { headers: { range: 'bytes=6000000-6000009' } });
    expect(Buffer.from(await part.arrayBuffer()).equals(photo.subarray(6_000_000, 6_000_010))).toBe(true);
    await owner.caller.delete(`/media/${body.id}`).expect(204);
    await until('it is erased', () =>
      Promise.resolve([...server.objects.keys()].every((key) => !key.includes('own_'))),
    );
  });

  it('may be down: uploads are refused, readiness says so, and nothing is left', async () => {
    server.fault = { status: 503 };
    const refused = await upload(photoOf(1_000, 6));
    expect([refused.status, refused.body.code]).toEqual([503, 'media_store_unavailable']);
    await until('it is degraded', async () => (await degraded()).includes('media_store'));
    server.fault = {};
    await until('it is not', async () => !(await degraded()).includes('media_store'));
    expect((await upload(photoOf(1_000, 6))).status).toBe(201);
  });

  it('loses what interrupted uploads left there', async () => {
    const file = `files/${owner.id}/${'2'.repeat(32)}`;
    server.uploads.set('old', { key: file, at: Date.now() - 60_000, parts: new Map() });
    server.objects.set(file, { bytes: Buffer.alloc(9), at: Date.now() - 60_000 });
    await until('they are gone', () => Promise.resolve(!server.uploads.has('old') && !server.objects.has(file)));
  });

  it('may lack a file, which then says so, and comes back with another upload', async () => {
    const photo = photoOf(1_000, 7);
    const { body } = await upload(photo);
    for (const key of server.objects.keys()) if (key.includes('own_')) server.objects.delete(key);
    expect((await owner.caller.get(`/media/${body.id}`).expect(200)).body.missing).toBe(true);
    expect((await fetch(body.url)).status).toBe(404);
    expect(await upload(photo)).toMatchObject({ status: 200, body: { id: body.id, url: body.url } });
    expect((await fetch(body.url)).status).toBe(200);
  });
});
