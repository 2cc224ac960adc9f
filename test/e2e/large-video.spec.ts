import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { filmParts } from '../media/make-films.js';
import { sparse, TestHost, type ServedFile } from '../media/test-host.js';
import { publish, postIdOf } from './client.js';
import type { Endpoint, Publication } from './manage.js';
import { manageOf, scene } from './e2e-harness.js';
import { until } from './until.js';

const MB = 1_048_576;
/** The most that MAX takes; with TEST_LONG the most that a post may have. */
const FILM_MB = process.env.TEST_LONG ? 2_048 : 250;
/** The largest video that each network takes (networks.md §1). */
const TAKES_MB = { telegram: 50, vk: 2_048, max: 250, ok: 2_048 };
type Platform = keyof typeof TAKES_MB;
const NETWORKS = Object.keys(TAKES_MB) as Platform[];
/** Resident memory of a gateway that does everything but run PostgreSQL, MB. */
const MAX_RSS_MB = 250;

const CREDENTIALS = {
  telegram: { bot_token: `1000:${'t'.repeat(35)}`, chat_id: '-1001000001' },
  vk: { access_token: 'vk1.a.community-large', upload_token: 'vk1.a.user-large', group_id: '1' },
  max: { access_token: 'max-large', chat_id: '-1' },
  ok: { application_key: 'ABCDEFGHIG', application_secret: 'SECRET', access_token: '-s-large', group_id: '1' },
};

/** A film that plays for a minute, of exactly so many bytes. */
const filmOf = (size: number): ServedFile => {
  const { before } = filmParts({
    seconds: 60,
    mediaBytes: size - filmParts({ seconds: 60, mediaBytes: size }).before.length,
  });
  return sparse(size, before);
};
const hashOf = (file: ServedFile): string => {
  const hash = createHash('sha256');
  for (let at = 0; at < file.size; at += MB) hash.update(file.read(at, Math.min(file.size, at + MB)));
  return hash.digest('hex').slice(0, 32);
};
/** The most resident memory that a process has had, MB. */
const peakMemory = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

scene(
  `a film of ${FILM_MB} MB reaches the networks that take it whole, from a gateway that has little memory`,
  async (stage) => {
    const networks = Object.fromEntries(
      await Promise.all(NETWORKS.map(async (name) => [name, await stage.network(name)] as const)),
    );
    const host = await TestHost.start();
    stage.atTheEnd(() => host.stop());
    const urls = NETWORKS.map((name) => [`${name.toUpperCase()}_API_URL`, networks[name]!.url]);
    const gateway = await stage.gateway({
      ...(Object.fromEntries(urls) as Record<string, string>),
      DATA_DIR: await stage.dataDir(),
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    });
    const manage = manageOf(gateway);
    const create = (path: string, body: object) => until(path, () => manage.post<{ id: string }>(path, body), 20_000);
    const { id: owner_id } = await create('/owners', { name: 'Large', plan: 'business' });
    const platformOf = new Map<string, Platform>();
    for (const platform of NETWORKS) {
      const draft = { owner_id, platform, name: platform, credentials: CREDENTIALS[platform] };
      platformOf.set((await create('/channels', draft)).id, platform);
    }
    const project = await create('/projects', { owner_id, name: 'All', channel_ids: [...platformOf.keys()] });
    const endpoint = await manage.post<Endpoint & { slug: string }>('/endpoints', {
      ...{ owner_id, project_ids: [project.id], mode: 'live', min_interval: 0 },
    });
    const before = await peakMemory(gateway.program.pid);

    const film = filmOf(FILM_MB * MB);
    const url = host.serve('/film.mp4', film);
    const path = `/v1/webhooks/${endpoint.slug}`;
    const answer = await publish(gateway.url, { ...endpoint, path }, { text: 'Film', media: [{ type: 'video', url }] });
    expect(answer.status).toBe(200);
    const states = ['published', 'failed', 'in_doubt', 'filtered'];
    const publications = await until('all are over', async () => {
      const { publications: all } = await manage.findPost(postIdOf(answer));
      return all.length === 4 && all.every(({ state }) => states.includes(state)) && all;
    });

    const peak = await peakMemory(gateway.program.pid);
    process.stdout.write(`    memory of the gateway: ${before.toFixed()} MB before, ${peak.toFixed()} MB at most\n`);
    expect(publications.map(({ state }) => state)).toEqual(Array(4).fill('published'));
    const hash = hashOf(film);
    for (const { target_id, warnings } of publications as readonly (Publication & { warnings: readonly object[] })[]) {
      const platform = platformOf.get(target_id)!;
      const [entry] = await networks[platform]!.control.ledger();
      const isTaken = FILM_MB <= TAKES_MB[platform];
      expect([platform, entry?.media]).toEqual([
        platform,
        isTaken ? [expect.objectContaining({ type: 'video', mime: 'video/mp4', bytes: film.size, hash })] : [],
      ]);
      expect(entry?.text.includes(url)).toBe(!isTaken);
      expect(warnings).toHaveLength(isTaken ? 0 : 1);
    }
    expect(peak).toBeLessThan(MAX_RSS_MB);
  },
  process.env.TEST_LONG ? 900_000 : 180_000,
);
