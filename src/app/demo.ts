import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_CHANNELS } from '../stand-ins/demo-channels.js';
import type { Demo } from './banner.js';
import type { Running } from './start.js';

/** What the demo remembers between starts: the token is shown once, and a visitor wants to see it again. */
interface Remembered {
  readonly id: string;
  readonly token: string;
}

/** How long views that are being made are waited for. */
const PATIENCE_MS = 15_000;

type Thing = Readonly<Record<string, string | null>> & { readonly id: string };

/**
 * Sets the demo's owner up, over the management API as anyone would: a channel on each stand-in network, a project, an
 * endpoint. Every call carries an Idempotency-Key, so that a start that broke off half-way is picked up by the next.
 * What an earlier start has set up is found again, unless the database is another one now.
 */
export const seedDemo = async ({ settings, address, networks }: Running): Promise<Demo> => {
  const file = join(settings.dataDir, 'demo.json');
  const call = async (path: string, request: { method?: string; headers?: object; body?: string } = {}) => {
    const headers = { authorization: `Bearer ${settings.operatorKey}`, ...request.headers };
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      const answer = await fetch(`${address}/manage/v1${path}`, { ...request, headers });
      const text = await answer.text();
      if (answer.status !== 503 || Date.now() > end) return { path, status: answer.status, text };
    }
  };
  const thingIn = ({ path, status, text }: Awaited<ReturnType<typeof call>>): Thing => {
    if (status >= 300) throw new Error(`The demo could not be set up: ${path} answered ${status} ${text}`);
    return JSON.parse(text) as Thing;
  };
  const find = async (path: string): Promise<Thing | null> => {
    const answer = await call(path);
    return answer.status === 404 ? null : thingIn(answer);
  };
  const post = async (path: string, step: string, body: object): Promise<Thing> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `demo ${step}` };
    return thingIn(await call(path, { method: 'POST', headers, body: JSON.stringify(body) }));
  };

  const known = await remembered(file);
  const knownEndpoint = known && (await find(`/endpoints/${known.id}`));
  if (knownEndpoint) return { url: knownEndpoint.url!, token: known.token };

  const owner = await post('/owners', 'owner', { name: 'Demo', plan: 'business' });
  const channels = DEMO_CHANNELS.filter(({ platform }) => platform in networks.standIns);
  const channel_ids: string[] = [];
  for (const channel of channels)
    channel_ids.push((await post('/channels', channel.platform, { owner_id: owner.id, ...channel })).id);
  const project = await post('/projects', 'project', { owner_id: owner.id, name: 'Everywhere', channel_ids });
  const min_interval = Math.max(1, settings.limitsProfile.minInterval.min);
  const endpoint = await post('/endpoints', 'endpoint', {
    owner_id: owner.id,
    name: 'Demo endpoint',
    project_ids: [project.id],
    mode: 'live',
    min_interval,
  });
  const token =
    endpoint.token ?? (await post(`/endpoints/${endpoint.id}/rotate-token`, `token ${Date.now()}`, {})).token!;
  await remember(file, { id: endpoint.id, token });
  return { url: endpoint.url!, token };
};

const remembered = async (file: string): Promise<Remembered | null> => {
  try {
    const { id, token } = JSON.parse(await readFile(file, 'utf8')) as Remembered;
    return typeof id === 'string' && typeof token === 'string' ? { id, token } : null;
  } catch {
    return null; // not yet, or no JSON
  }
};

const remember = async (file: string, demo: Remembered): Promise<void> => {
  await writeFile(`${file}.new`, JSON.stringify(demo), { mode: 0o600 });
  await rename(`${file}.new`, file);
};
