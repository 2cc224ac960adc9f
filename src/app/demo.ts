import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpoint as endpointDecider } from '../domain/endpoint/endpoint.decider.js';
import { isRejection } from '../kernel/result.js';
import type { Demo } from './banner.js';
import type { Infrastructure } from './infrastructure.js';
import type { Running } from './start.js';

/** The demo's endpoint as it is stored between starts. The API shows a token once; the banner shows it at each start. */
interface StoredDemo {
  readonly id: string;
  readonly token: string;
}

/** Longest wait for read models that are being built, in ms. */
const READ_MODELS_TIMEOUT_MS = 15_000;

type Resource = Readonly<Record<string, string | null>> & { readonly id: string };

/** The demo's endpoint as the management API shows it. */
type EndpointResource = Resource & { readonly min_interval?: number; readonly is_active?: boolean };

/** Seconds between two posts: none (D-52). */
const MIN_INTERVAL = 0;
/** The interval of demos that earlier versions created. */
const FORMER_MIN_INTERVAL = 1;

/**
 * Creates the demo's owner over the public management API: a channel on each stand-in network, a project and an endpoint.
 * Every call carries an Idempotency-Key, so the next start continues one that ended half-way. A demo from an earlier start
 * is used again, unless the database has changed since.
 */
export const seedDemo = async ({ settings, address, networks, infrastructure }: Running): Promise<Demo> => {
  const file = join(settings.dataDir, 'demo.json');
  const call = async (path: string, request: { method?: string; headers?: object; body?: string } = {}) => {
    const headers = { authorization: `Bearer ${settings.operatorKey}`, ...request.headers };
    for (const end = Date.now() + READ_MODELS_TIMEOUT_MS; ; await sleep(100)) {
      const answer = await fetch(`${address}/manage/v1${path}`, { ...request, headers });
      const text = await answer.text();
      if (answer.status !== 503 || Date.now() > end) return { path, status: answer.status, text };
    }
  };
  const parseResource = ({ path, status, text }: Awaited<ReturnType<typeof call>>): Resource => {
    if (status >= 300) throw new Error(`failed to create the demo: ${path} answered ${status} ${text}`);
    return JSON.parse(text) as Resource;
  };
  const find = async (path: string): Promise<EndpointResource | null> => {
    const answer = await call(path);
    return answer.status === 404 ? null : parseResource(answer);
  };
  const post = async (path: string, step: string, body: object): Promise<Resource> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `demo ${step}` };
    return parseResource(await call(path, { method: 'POST', headers, body: JSON.stringify(body) }));
  };

  const known = await readStoredDemo(file);
  const knownEndpoint = known && (await find(`/endpoints/${known.id}`));
  if (knownEndpoint) {
    const { id, url, min_interval, is_active } = knownEndpoint;
    if (min_interval === FORMER_MIN_INTERVAL) await removeMinInterval(infrastructure, id);
    const enableUrl = is_active === false ? `${settings.baseUrl}/manage/v1/endpoints/${id}/enable` : null;
    return { url: url!, token: known.token, enableUrl };
  }

  const owner = await post('/owners', 'owner', { name: 'Demo', plan: 'business' });
  const channel_ids: string[] = [];
  for (const { platform, demoChannel } of networks.standIns)
    channel_ids.push((await post('/channels', platform, { owner_id: owner.id, platform, ...demoChannel })).id);
  const project = await post('/projects', 'project', { owner_id: owner.id, name: 'Everywhere', channel_ids });
  const endpoint = await post('/endpoints', 'endpoint', {
    owner_id: owner.id,
    name: 'Demo endpoint',
    project_ids: [project.id],
    mode: 'live',
  });
  await removeMinInterval(infrastructure, endpoint.id);
  const token =
    endpoint.token ?? (await post(`/endpoints/${endpoint.id}/rotate-token`, `token ${Date.now()}`, {})).token!;
  await storeDemo(file, { id: endpoint.id, token });
  return { url: endpoint.url!, token, enableUrl: null };
};

/** Sets the demo endpoint's interval by a command: the API refuses one that the limits profile does not allow. */
const removeMinInterval = async ({ aggregates, progress }: Infrastructure, endpointId: string): Promise<void> => {
  const at = Date.now();
  const commandId = `demo/${endpointId}/${at}`;
  const origin = { actor: 'system:demo', requestId: '', causationId: commandId, correlationId: commandId };
  const command = { type: 'ChangeEndpoint', endpointId, settings: { minInterval: MIN_INTERVAL } } as const;
  const decided = await aggregates.execute(endpointDecider, endpointId, command, {
    ...{ ...origin, clientAddress: null, commandId, at },
  });
  if (isRejection(decided)) throw new Error(`failed to create the demo: ${decided.message}`);
  await progress.waitFor(['discovery'], decided.aggregate.position, READ_MODELS_TIMEOUT_MS);
};

const readStoredDemo = async (file: string): Promise<StoredDemo | null> => {
  try {
    const { id, token } = JSON.parse(await readFile(file, 'utf8')) as StoredDemo;
    return typeof id === 'string' && typeof token === 'string' ? { id, token } : null;
  } catch {
    return null; // no file yet, or not JSON
  }
};

const storeDemo = async (file: string, demo: StoredDemo): Promise<void> => {
  await writeFile(`${file}.new`, JSON.stringify(demo), { mode: 0o600 });
  await rename(`${file}.new`, file);
};
