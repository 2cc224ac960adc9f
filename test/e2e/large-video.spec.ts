import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { makeVideoParts } from '../media/make-videos.js';
import { type ServedFile, sparse, TestHost } from '../media/test-host.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import type { Endpoint, Publication } from './management-client.js';
import { until } from './until.js';

const MB = 1_048_576;
/** Largest video that MAX accepts; with TEST_LONG the largest that a post may have. In MB. */
const VIDEO_MB = process.env.TEST_LONG ? 2_048 : 250;
/** Largest video that each network accepts (networks.md §1). */
const MAX_VIDEO_MB = { telegram: 50, vk: 2_048, max: 250, ok: 2_048 };
type Platform = keyof typeof MAX_VIDEO_MB;
const NETWORKS = Object.keys(MAX_VIDEO_MB) as Platform[];
/**
 * How much a gateway's resident memory may grow, in MB: by less than a video. It grows by 10 to 40 on Node 20; Node 24
 * releases buffers later and grows by 80 to 130, whatever the size of the video.
 */
const MAX_GROWTH_MB = 200;

const CREDENTIALS = {
  telegram: { bot_token: `1000:${'t'.repeat(35)}`, chat_id: '-1001000001' },
  vk: { access_token: 'vk1.a.community-large', upload_token: 'vk1.a.user-large', group_id: '1' },
  max: { access_token: 'max-large', chat_id: '-1' },
  ok: { application_key: 'ABCDEFGHIG', application_secret: 'SECRET', access_token: '-s-large', group_id: '1' },
};

/** Creates a video of one minute with exactly `size` bytes. */
const createVideo = (size: number): ServedFile => {
  const { before } = makeVideoParts({
    seconds: 60,
    mediaBytes: size - makeVideoParts({ seconds: 60, mediaBytes: size }).before.length,
  });
  return sparse(size, before);
};
const hashFile = (file: ServedFile): string => {
  const hash = createHash('sha256');
  for (let at = 0; at < file.size; at += MB) hash.update(file.read(at, Math.min(file.size, at + MB)));
  return hash.digest('hex').slice(0, 32);
};
/** Returns the peak resident memory of a process, in MB. */
const readPeakMemory = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

e2eTest(
  `a gateway with little memory sends a video of ${VIDEO_MB} MB to every network that accepts its size`,
  async (harness) => {
    const networks = Object.fromEntries(
      await Promise.all(NETWORKS.map(async (name) => [name, await harness.startNetwork(name)] as const)),
    );
    const host = await TestHost.start();
    harness.addCleanup(() => host.stop());
    const urls = NETWORKS.map((name) => [`${name.toUpperCase()}_API_URL`, networks[name]!.url]);
    const gateway = await harness.startGateway({
      ...(Object.fromEntries(urls) as Record<string, string>),
      DATA_DIR: await harness.createDataDir(),
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    });
    const manage = createManagementClient(gateway);
    const create = (path: string, body: object) => until(path, () => manage.post<{ id: string }>(path, body));
    const { id: owner_id } = await create('/owners', { name: 'Large', plan: 'business' });
    const platformOf = new Map<string, Platform>();
    for (const platform of NETWORKS) {
      const body = { owner_id, platform, name: platform, credentials: CREDENTIALS[platform] };
      platformOf.set((await create('/channels', body)).id, platform);
    }
    const project = await create('/projects', { owner_id, name: 'All', channel_ids: [...platformOf.keys()] });
    const endpoint = await manage.post<Endpoint & { slug: string }>('/endpoints', {
      owner_id,
      project_ids: [project.id],
      mode: 'live',
      min_interval: 0,
    });
    const before = await readPeakMemory(gateway.program.pid);

    const video = createVideo(VIDEO_MB * MB);
    const url = host.serve('/video.mp4', video);
    const path = `/v1/webhooks/${endpoint.slug}`;
    const answer = await publish(
      gateway.url,
      { ...endpoint, path },
      { text: 'Video', media: [{ type: 'video', url }] },
    );
    expect(answer.status).toBe(200);
    const states = ['published', 'failed', 'in_doubt', 'filtered'];
    const publications = await until('all have a final state', async () => {
      const { publications: all } = await manage.findPost(postIdOf(answer));
      return all.length === 4 && all.every(({ state }) => states.includes(state)) && all;
    });

    const peak = await readPeakMemory(gateway.program.pid);
    process.stdout.write(`    memory of the gateway: ${before.toFixed()} MB before, ${peak.toFixed()} MB at most\n`);
    expect(publications.map(({ state }) => state)).toEqual(Array(4).fill('published'));
    const hash = hashFile(video);
    for (const { target_id, warnings } of publications as readonly (Publication & { warnings: readonly object[] })[]) {
      const platform = platformOf.get(target_id)!;
      const [entry] = await networks[platform]!.control.readLedger();
      const isAccepted = VIDEO_MB <= MAX_VIDEO_MB[platform];
      expect([platform, entry?.media]).toEqual([
        platform,
        isAccepted ? [expect.objectContaining({ type: 'video', mime: 'video/mp4', bytes: video.size, hash })] : [],
      ]);
      expect(entry?.text.includes(url)).toBe(!isAccepted);
      expect(warnings).toHaveLength(isAccepted ? 0 : 1);
    }
    expect(peak - before).toBeLessThan(MAX_GROWTH_MB);
  },
  process.env.TEST_LONG ? 900_000 : undefined,
);
