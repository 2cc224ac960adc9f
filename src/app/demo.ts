import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_CHANNELS } from '../stand-ins/demo-channels.js';
import type { Demo } from './banner.js';
import type { Running } from './start.js';

/** What the demo remembers between starts: the token is shown once, and a visitor wants to see it again. */
interface Remembered {
  readonly path: string;
  readonly token: string;
}

type Created = Readonly<Record<string, string | null>> & { readonly id: string };

/**
 * Sets the demo's owner up, over the management API as anyone would: a channel on each stand-in network, a project, an
 * endpoint. Every call carries an Idempotency-Key, so that a start that broke off half-way is picked up by the next.
 */
export const seedDemo = async ({ settings, networks }: Running): Promise<Demo> => {
  const file = join(settings.dataDir, 'demo.json');
  const known = await remembered(file);
  if (known) return { url: settings.baseUrl + known.path, token: known.token };

  const address = settings.baseUrl;
  const post = async (path: string, step: string, body: object): Promise<Created> => {
    const answer = await fetch(`${address}/manage/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${settings.operatorKey}`,
        'content-type': 'application/json',
        'idempotency-key': `demo ${step}`,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`The demo could not be set up: ${path} answered ${answer.status} ${text}`);
    return JSON.parse(text) as Created;
  };

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
  const path = `/v1/webhooks/${endpoint.slug}`;
  await remember(file, { path, token });
  return { url: settings.baseUrl + path, token };
};

const remembered = async (file: string): Promise<Remembered | null> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Remembered;
  } catch {
    return null; // not yet, or half-written by a start that broke off
  }
};

const remember = async (file: string, demo: Remembered): Promise<void> => {
  await writeFile(`${file}.new`, JSON.stringify(demo), { mode: 0o600 });
  await rename(`${file}.new`, file);
};
