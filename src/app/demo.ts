import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignInView } from '../api/management/sessions/sessions.controller.js';
import type { Settings } from '../config/settings.js';
import { endpoint as endpointDecider } from '../domain/endpoint/endpoint.decider.js';
import { isRejection } from '../kernel/result.js';
import type { Infrastructure } from './infrastructure.js';
import type { Demo, Running } from './start.js';

/** Names of the demo's photos, which scripts/draw-photos.js draws. */
const NAMES = ['harbour-at-dusk', 'lighthouse-in-the-morning', 'regatta', 'first-frost'];

/** Address of the demo's photos, without a file's name; null if the gateway does not know its own address. */
export const photosUrl = ({ demo, baseUrl }: Pick<Settings, 'demo' | 'baseUrl'>): string | null =>
  demo && baseUrl ? `${baseUrl}/console/photos/` : null;

/** Photos that a post of the demo can have without the Internet: the gateway serves them itself. */
export const demoPhotos = (
  settings: Pick<Settings, 'demo' | 'baseUrl'>,
): readonly { readonly name: string; readonly url: string }[] => {
  const url = photosUrl(settings);
  return url === null ? [] : NAMES.map((name) => ({ name, url: `${url}${name}.jpg` }));
};

/**
 * The demo's endpoint and owner, stored between starts: the API shows tokens and keys only once, but the banner needs
 * them at each start.
 */
interface StoredDemo {
  readonly id: string;
  readonly token: string;
  /** Absent from files written by earlier versions. */
  readonly owner?: StoredOwner;
}

interface StoredOwner {
  readonly id: string;
  readonly key: string;
}

/** Maximum wait for read models, in ms. */
const READ_MODELS_TIMEOUT_MS = 15_000;

type Resource = Readonly<Record<string, string | null>> & { readonly id: string };

/** The demo's endpoint as the management API shows it. */
type EndpointResource = Resource & { readonly min_interval?: number; readonly is_active?: boolean };

/** Minimum interval between posts in demos created by earlier versions, in s; new demos have none (D-52). */
const FORMER_MIN_INTERVAL = 1;

/**
 * Creates the demo's owner through the public management API, with a channel on each stand-in network, a project and an
 * endpoint. Reuses a demo from an earlier start, unless its owner no longer exists in the database.
 */
export const seedDemo = async (running: Running): Promise<Demo> => {
  const file = join(running.settings.dataDir, 'demo.json');
  const api = new DemoApi(running);
  const stored = await readStoredDemo(file);
  const endpoint = stored && (await api.find(`/endpoints/${stored.id}`));
  const ownerId = endpoint?.owner_id ?? (stored?.owner && (await api.find(`/owners/${stored.owner.id}`))?.id);
  if (!stored || !ownerId) {
    const created = await createDemo(running, api, stored);
    await storeDemo(file, created.stored);
    return { endpoint: created.endpoint, signInCode: await issueCode(running, api, created.stored.owner) };
  }
  const owner = stored.owner ?? { id: ownerId, key: await api.replaceKey(ownerId) };
  if (!stored.owner) await storeDemo(file, { ...stored, owner });
  return {
    endpoint: endpoint && (await describeEndpoint(running, endpoint, stored.token)),
    signInCode: await issueCode(running, api, owner),
  };
};

/**
 * Returns a code that signs the owner in; null if the owner's key was replaced. Never replaces a key: it may be in use.
 */
const issueCode = async ({ oneTimeCode }: Running, api: DemoApi, { id, key }: StoredOwner): Promise<string | null> => {
  const owner = await api.findAs(key, `/owners/${id}`);
  return owner && oneTimeCode!.issue({ key, owner: { id, name: owner.name! } } satisfies SignInView);
};

const describeEndpoint = async (
  { infrastructure, settings }: Running,
  { id, url, min_interval, is_active }: EndpointResource,
  token: string,
): Promise<Demo['endpoint']> => {
  if (min_interval === FORMER_MIN_INTERVAL) await removeMinInterval(infrastructure, id);
  return {
    url: url!,
    token,
    enableUrl: is_active === false ? `${settings.baseUrl}/manage/v1/endpoints/${id}/enable` : null,
  };
};

/**
 * Creates a demo. Every call carries an Idempotency-Key, so the next start completes an interrupted creation.
 * @param former a demo that no longer exists; its id keeps the new idempotency keys distinct
 */
const createDemo = async (
  { networks, infrastructure }: Running,
  api: DemoApi,
  former: StoredDemo | null,
): Promise<{ readonly stored: Required<StoredDemo>; readonly endpoint: NonNullable<Demo['endpoint']> }> => {
  const create = (path: string, step: string, body: object): Promise<Resource> =>
    api.post(path, body, former ? `demo after ${former.id} ${step}` : `demo ${step}`);
  const owner = await create('/owners', 'owner', { name: 'Demo', plan: 'business' });
  const key = owner.key ?? (await api.replaceKey(owner.id));
  const channel_ids: string[] = [];
  for (const { platform, demoChannel } of networks.standIns)
    channel_ids.push((await create('/channels', platform, { owner_id: owner.id, platform, ...demoChannel })).id);
  const project = await create('/projects', 'project', { owner_id: owner.id, name: 'Everywhere', channel_ids });
  const endpoint = await create('/endpoints', 'endpoint', {
    owner_id: owner.id,
    name: 'Demo endpoint',
    project_ids: [project.id],
    mode: 'live',
  });
  await removeMinInterval(infrastructure, endpoint.id);
  const rotate = `/endpoints/${endpoint.id}/rotate-token`;
  const token = endpoint.token ?? (await api.post(rotate, {}, `demo token ${Date.now()}`)).token!;
  return {
    stored: { id: endpoint.id, token, owner: { id: owner.id, key } },
    endpoint: { url: endpoint.url!, token, enableUrl: null },
  };
};

/** Calls the management API of this process. Waits while read models are being built. */
class DemoApi {
  constructor(private readonly running: Running) {}

  /** Returns null if the resource does not exist. */
  find(path: string): Promise<EndpointResource | null> {
    return this.findAs(this.running.settings.operatorKey, path);
  }

  /** Fetches a resource with the given key; returns null if it does not exist or the key is invalid. */
  async findAs(key: string, path: string): Promise<EndpointResource | null> {
    const answer = await this.call(key, path);
    return [401, 404].includes(answer.status) ? null : parseResource(answer);
  }

  async post(path: string, body: object, idempotencyKey: string): Promise<Resource> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    return parseResource(await this.call(this.running.settings.operatorKey, path, request));
  }

  /** Replaces an owner's key, and returns the new one. */
  async replaceKey(ownerId: string): Promise<string> {
    return (await this.post(`/owners/${ownerId}/rotate-key`, {}, `demo key ${Date.now()}`)).key!;
  }

  private async call(
    key: string,
    path: string,
    request: { method?: string; headers?: object; body?: string } = {},
  ): Promise<Answer> {
    const headers = { authorization: `Bearer ${key}`, ...request.headers };
    for (const end = Date.now() + READ_MODELS_TIMEOUT_MS; ; await sleep(100)) {
      const answer = await fetch(`${this.running.address}/manage/v1${path}`, { ...request, headers });
      const text = await answer.text();
      if (answer.status !== 503 || Date.now() > end) return { path, status: answer.status, text };
    }
  }
}

interface Answer {
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

const parseResource = ({ path, status, text }: Answer): Resource => {
  if (status >= 300) throw new Error(`failed to create the demo: ${path} answered ${status} ${text}`);
  return JSON.parse(text) as Resource;
};

/** Executes the command directly, because the API would enforce the limits profile. */
const removeMinInterval = async ({ aggregates, progress }: Infrastructure, endpointId: string): Promise<void> => {
  const at = Date.now();
  const commandId = `demo/${endpointId}/${at}`;
  const origin = { actor: 'system:demo', requestId: '', causationId: commandId, correlationId: commandId };
  const command = { type: 'ChangeEndpoint', endpointId, settings: { minInterval: 0 } } as const;
  const context = { ...origin, clientAddress: null, commandId, at };
  const decided = await aggregates.execute(endpointDecider, endpointId, command, context);
  if (isRejection(decided)) throw new Error(`failed to create the demo: ${decided.message}`);
  await progress.waitFor(['discovery'], decided.aggregate.position, READ_MODELS_TIMEOUT_MS);
};

const readStoredDemo = async (file: string): Promise<StoredDemo | null> => {
  try {
    const { id, token, owner } = JSON.parse(await readFile(file, 'utf8')) as StoredDemo;
    if (typeof id !== 'string' || typeof token !== 'string') return null;
    const hasOwner = typeof owner?.id === 'string' && typeof owner.key === 'string';
    return { id, token, ...(hasOwner && { owner }) };
  } catch {
    return null; // no file yet, or not JSON
  }
};

const storeDemo = async (file: string, demo: StoredDemo): Promise<void> => {
  await writeFile(`${file}.new`, JSON.stringify(demo), { mode: 0o600 });
  await rename(`${file}.new`, file);
};
