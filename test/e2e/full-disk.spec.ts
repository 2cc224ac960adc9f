import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { png } from '../media/make-images.js';
import { makeVideoParts } from '../media/make-videos.js';
import { sparse } from '../media/test-host.js';
import { createManagementClient, type E2eHarness, e2eTest } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

const MB = 1_048_576;
/** Uploads are refused below 1 GiB of free space. */
const DISK_MB = 1_400;
const VIDEO_MB = 150;
/** What is left of the disk once it is filled: less than the rest of the video, and than the distance of two checks. */
const LEFT_MB = 8;

const parent = mkdtempSync(join(tmpdir(), 'crosspost-disk-'));
const folder = join(parent, 'mounted');
const filler = join(folder, 'filler');
const run = (program: string, ...args: readonly string[]): unknown => execFileSync(program, args, { stdio: 'pipe' });

/** Mounts a file system of its own, in a file that takes no space until it is written. False where that is not possible. */
const mountDisk = (): boolean => {
  const image = join(parent, 'image');
  try {
    mkdirSync(folder);
    run('truncate', '-s', `${DISK_MB}M`, image);
    run('mkfs.ext4', '-q', '-m', '0', image);
    run('mount', '-o', 'loop', image, folder);
    return true;
  } catch {
    return false;
  }
};

/** Fills the disk except for the last few megabytes. */
const fillDisk = async (): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  run('fallocate', '-l', String(bavail * bsize - LEFT_MB * MB), filler);
};

const isMounted = mountDisk();
afterAll(async () => {
  if (isMounted) run('umount', folder);
  await rm(parent, { recursive: true, force: true });
});

/** Skipped by name where file systems cannot be mounted. */
const diskTest = isMounted ? e2eTest : (title: string) => it.skip(title, () => undefined);

diskTest(
  'a disk that fills up during an upload refuses it, keeps nothing of it, and takes files again once there is room',
  async (harness: E2eHarness) => {
    const store = join(folder, 'store');
    const gateway = await harness.startGateway({
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      MEDIA_STORE: store,
    });
    const manage = createManagementClient(gateway);
    const { id: owner } = await manage.post<{ id: string }>('/owners', { name: 'Full', plan: 'business' });
    const send = (body: unknown) =>
      fetch(`${gateway.url}/manage/v1/media?owner_id=${owner}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/octet-stream' },
        body,
        duplex: 'half',
      } as RequestInit);
    const refusalOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
    const readUsed = async (): Promise<number> =>
      (await manage.get<{ media_bytes: { used: number } }>(`/owners/${owner}`)).media_bytes.used;
    const isDegraded = async (): Promise<boolean> =>
      (await (await fetch(`${gateway.url}/readyz`)).text()).includes('media_store');

    const first = (await (await send(png(16, 16))).json()) as { readonly url: string; readonly bytes: number };
    const { before } = makeVideoParts({ seconds: 60, mediaBytes: VIDEO_MB * MB });
    const video = sparse(before.length + VIDEO_MB * MB, before);
    let at = 0;
    const body = new ReadableStream({
      async pull(controller) {
        if (at >= video.size) return controller.close();
        if (at === MB) await fillDisk();
        // A client that sends without a pause may lose the answer: its system drops it with the connection.
        if (at > MB) await new Promise((resolve) => setTimeout(resolve, 30));
        const chunk = video.read(at, Math.min(video.size, at + MB));
        at += chunk.length;
        controller.enqueue(chunk);
      },
    });
    expect(await refusalOf(await send(body))).toEqual([503, 'media_store_full']);
    expect(at).toBeLessThan(video.size);
    expect(await refusalOf(await send(png(17, 17)))).toEqual([503, 'media_store_full']);
    await until('/readyz says it', isDegraded);
    await until('nothing of the video is left', async () => (await readdir(join(store, owner))).length === 1);
    expect(await readUsed()).toBe(first.bytes);
    expect((await fetch(first.url)).status).toBe(200);

    await rm(filler);
    await until('/readyz says that it works', async () => !(await isDegraded()));
    expect((await send(png(17, 17))).status).toBe(201);
    expect(await readdir(join(store, owner))).toHaveLength(2);
  },
);
