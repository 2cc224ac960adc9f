import { NETWORK_NAMES, type NetworkName } from '../../platforms/wire/networks.js';
import { credentialsOf, inParallel } from '../publish-due-posts/crash-harness.js';
import { credentialMark, type WorkerKiller } from '../publish-due-posts/kill-points.js';
import type { PublishingHarness } from '../publish-due-posts/publishing-harness.js';

/** A channel with its own credentials, which identify its calls. */
export interface Channel {
  readonly id: string;
  readonly number: number;
  readonly network: NetworkName;
  readonly chat: string;
}

/** An owner with two channels behind one endpoint, on which one story after another happens. */
export interface Stage {
  readonly path: string;
  readonly token: string;
  readonly channels: readonly [Channel, Channel];
}

/** Builds owners, channels and endpoints. */
export const buildStages = async (
  publishing: PublishingHarness,
  killer: WorkerKiller,
  count: number,
): Promise<readonly Stage[]> => {
  const { manage } = publishing;
  const worker = await publishing.startWorker();
  const wanted = Array.from({ length: count }, (_, i) => i);
  const stages = await inParallel(wanted, async (i): Promise<Stage> => {
    const owner_id = (await manage.post<{ id: string }>('/owners', { name: `Stage ${i}`, plan: 'business' })).id;
    const build = async (network: NetworkName, number: number): Promise<Channel> => {
      const chat = `${network === 'telegram' ? '-100' : network === 'max' ? '-' : ''}${8_000_000 + number}`;
      const credentials = credentialsOf(network, chat, credentialMark(number));
      const body = { owner_id, platform: network, name: `${network} ${number}`, credentials };
      const { id } = await manage.post<{ id: string }>('/channels', body);
      killer.registerChannel(id, number);
      return { id, number, network, chat };
    };
    const [one, other] = [NETWORK_NAMES[i % 4]!, NETWORK_NAMES[(i + 1 + Math.floor(i / 4)) % 4]!];
    const channels = [await build(one, 2 * i + 1), await build(other, 2 * i + 2)] as const;
    const project = { owner_id, name: `Stage ${i}`, channel_ids: channels.map(({ id }) => id) };
    const { id: project_id } = await manage.post<{ id: string }>('/projects', project);
    const endpoint = { owner_id, project_ids: [project_id], mode: 'live', min_interval: 0 };
    const { slug, token } = await manage.post<{ slug: string; token: string }>('/endpoints', endpoint);
    return { path: `/v1/webhooks/${slug}`, token, channels };
  });
  await worker.stop();
  return stages;
};
