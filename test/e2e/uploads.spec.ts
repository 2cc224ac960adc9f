import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { png } from '../media/make-images.js';
import { makeVideoParts } from '../media/make-videos.js';
import { sparse } from '../media/test-host.js';
import { runSql } from '../support/database-backup.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { type ManagementClient, OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const MB = 1_048_576;
const VIDEO_MB = LONG ? 2_048 : 300;
/** How much resident memory may grow, in MB: by much less than the file. */
const MAX_GROWTH_MB = 150;
const KILLS = LONG ? 30 : 4;
/** Time for each of the tests with kills, in ms: a start after a kill takes some 10 s where little of the machine is left. */
const KILLS_MS = LONG ? 1_800_000 : 600_000;

interface Kept {
  readonly id: string;
  readonly url: string;
  readonly sha256: string;
}

const post = (url: string, owner: string, body: unknown) =>
  fetch(`${url}/manage/v1/media?owner_id=${owner}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/octet-stream' },
    body,
    duplex: 'half',
  } as RequestInit);

/** Reads a list to its end. */
const readAll = async <T>(manage: ManagementClient, path: string): Promise<readonly T[]> => {
  const all: T[] = [];
  for (let cursor = ''; ;) {
    const page = await manage.get<{ items: T[]; next: string | null }>(`${path}?limit=200${cursor}`);
    all.push(...page.items);
    if (page.next === null) return all;
    cursor = `&cursor=${page.next}`;
  }
};

const readPeakMemory = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

e2eTest(`a video of ${VIDEO_MB} MB is uploaded and downloaded with little memory`, async (harness) => {
  const gateway = await harness.startGateway({
    ...(await harness.createDatabase()),
    DATA_DIR: await harness.createFolder(),
  });
  const manage = createManagementClient(gateway);
  const { id: owner } = await manage.post<{ id: string }>('/owners', { name: 'Large', plan: 'business' });
  const size = VIDEO_MB * MB;
  const empty = makeVideoParts({ seconds: 60, mediaBytes: size }).before.length;
  const file = sparse(size, makeVideoParts({ seconds: 60, mediaBytes: size - empty }).before);
  const hash = createHash('sha256');
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= file.size) return controller.close();
      const chunk = file.read(at, Math.min(file.size, at + MB));
      at += chunk.length;
      hash.update(chunk);
      controller.enqueue(chunk);
    },
  });
  const before = await readPeakMemory(gateway.program.pid);
  const answer = await post(gateway.url, owner, body);
  const kept = (await answer.json()) as Kept & { readonly bytes: number };
  expect([answer.status, kept.bytes, kept.sha256]).toEqual([201, size, hash.digest('hex')]);
  let received = 0;
  for await (const chunk of (await fetch(kept.url)).body!) received += (chunk as Uint8Array).length;
  expect(received).toBe(size);
  expect((await readPeakMemory(gateway.program.pid)) - before).toBeLessThan(MAX_GROWTH_MB);
});

e2eTest(
  'killed at random moments, a gateway has no id without a file, and no file without an event',
  async (harness) => {
    const store = await harness.createFolder();
    const settings = {
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      MEDIA_STORE: store,
      MINUTE_MS: '50',
    };
    let gateway = await harness.startGateway(settings);
    const { id: owner } = await createManagementClient(gateway).post<{ id: string }>('/owners', {
      name: 'K',
      plan: 'business',
    });
    const kept: Kept[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      let isKilled = false;
      const clients = Array.from({ length: 4 }, async () => {
        while (!isKilled) {
          const photo = Buffer.concat([png(16, 16), randomBytes(400_000)]);
          const answer = await post(gateway.url, owner, photo).catch(() => null);
          if (answer?.status === 201) kept.push((await answer.json().catch(() => null)) as Kept);
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1_500));
      isKilled = true;
      await gateway.program.killAll();
      await Promise.all(clients);
      gateway = await harness.startGateway(settings);
      const manage = createManagementClient(gateway);
      for (const { id } of kept.filter(Boolean)) {
        const { url, sha256 } = await until(`${id} is shown`, () => manage.get<Kept>(`/media/${id}`));
        const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      }
    }
    expect(kept.length).toBeGreaterThan(0);
    const manage = createManagementClient(gateway);
    const shown = await readAll<Kept>(manage, '/media');
    for (const { url } of shown) expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    await until('the store has the shown files and nothing else', async () => {
      const files = await readdir(join(store, owner));
      return files.length === shown.length && files.every((name) => !name.endsWith('.partial'));
    });
  },
  KILLS_MS,
);

e2eTest(
  'killed while it accepts posts with files, a gateway loses no file that a post needs, and keeps none for ever',
  async (harness) => {
    const store = await harness.createFolder();
    const telegram = await harness.startTelegram();
    const database = await harness.createDatabase();
    const settings = {
      ...database,
      DATA_DIR: await harness.createFolder(),
      MEDIA_STORE: store,
      MINUTE_MS: '50',
      TELEGRAM_API_URL: telegram.url,
    };
    let gateway = await harness.startGateway(settings);
    const { endpoints } = await createManagementClient(gateway).seed(1, [[0]]);
    const endpoint = endpoints[0]!;
    const { owner_id: owner } = await createManagementClient(gateway).get<{ owner_id: string }>(
      `/endpoints/${endpoint.id}`,
    );
    const remove = async (id: string): Promise<number> =>
      (
        await fetch(`${gateway.url}/manage/v1/media/${id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${OPERATOR_KEY}` },
        })
      ).status;
    const uploaded: string[] = [];
    const accepted: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      let isKilled = false;
      const publishOne = async (): Promise<void> => {
        const answer = await post(gateway.url, owner, Buffer.concat([png(16, 16), randomBytes(10_000)]));
        if (answer.status !== 201) return;
        const { id } = (await answer.json()) as Kept;
        uploaded.push(id);
        const sent = publish(gateway.url, endpoint, { text: id, media: [{ id }] });
        // Half of the posts race with a deletion.
        const deleted = uploaded.length % 2 === 0 ? remove(id).catch(() => null) : null;
        const received = await sent;
        if (received.status === 200) accepted.push(postIdOf(received));
        await deleted;
      };
      const clients = Array.from({ length: 4 }, async () => {
        while (!isKilled) await publishOne().catch(() => undefined);
      });
      const before = accepted.length;
      await until('posts are accepted', () => accepted.length >= before + 5);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000));
      isKilled = true;
      await gateway.program.killAll();
      await Promise.all(clients);
      gateway = await harness.startGateway(settings);
    }
    const manage = createManagementClient(gateway);
    const posts = await readAll<{ readonly id: string }>(manage, '/posts');
    expect(posts.map(({ id }) => id)).toEqual(expect.arrayContaining(accepted));
    for (const { id } of posts)
      for (const { id: publicationId } of (await manage.findPost(id)).publications) {
        const state = await until(`${publicationId} has ended`, async () => {
          const publication = (await manage.findPost(id)).publications.find((each) => each.id === publicationId)!;
          return ['published', 'failed', 'in_doubt'].includes(publication.state) && publication.state;
        });
        // A call that was under way may have arrived; a lost file would be a failure.
        expect(state).not.toBe('failed');
        if (state === 'in_doubt') await manage.post(`/publications/${publicationId}/dismiss`);
      }
    // What a killed process held expires after 15 minutes.
    await runSql(database.DATABASE_URL, `update ops_media_hold set until = now() - interval '1 s'`);
    // A file whose answer a kill cut off is also in the list.
    const listed = (await readAll<Kept>(manage, '/media')).map(({ id }) => id);
    for (const id of new Set([...uploaded, ...listed]))
      await until(`${id} is deleted`, async () => [204, 404].includes(await remove(id)));
    await until('the store is empty', async () => (await readdir(join(store, owner))).length === 0);
  },
  KILLS_MS,
);
