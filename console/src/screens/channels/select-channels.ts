import type { Api } from '../../api/management.js';
import type { ChannelsSearch } from '../../app/search.js';
import { type Channel, channelState } from '../../channels/channel-state.js';
import { NETWORKS } from '../../components/networks.js';

/** Projects by channel id. */
export type ProjectsByChannel = ReadonlyMap<string, readonly Api<'Project'>[]>;

/** Groups projects by the channels that they contain. */
export const groupProjects = (projects: readonly Api<'Project'>[]): ProjectsByChannel => {
  const map = new Map<string, Api<'Project'>[]>();
  for (const project of projects) for (const id of project.channel_ids) map.set(id, [...(map.get(id) ?? []), project]);
  return map;
};

const rank = (channel: Channel): number => (channelState(channel) === 'on_hold' ? 0 : 1);
const networkRank = (platform: string): number => (NETWORKS as readonly string[]).indexOf(platform);

/**
 * Returns the channels that match the filters. Channels on hold come first; otherwise sorted by name, then by network.
 */
export const selectChannels = (
  channels: readonly Channel[],
  projects: ProjectsByChannel,
  { state, network, find = '' }: ChannelsSearch,
): readonly Channel[] => {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const collator = new Intl.Collator(undefined, { numeric: true });
  return channels
    .filter((channel) => {
      if (state !== undefined && channelState(channel) !== state) return false;
      if (network !== undefined && channel.platform !== network) return false;
      const inProjects = (projects.get(channel.id) ?? []).map(({ name }) => name);
      const text = [channel.name, ...Object.values(channel.address), ...inProjects].join('\n').toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort(
      (a, b) =>
        rank(a) - rank(b) ||
        collator.compare(a.name, b.name) ||
        networkRank(a.platform) - networkRank(b.platform) ||
        collator.compare(a.id, b.id),
    );
};
