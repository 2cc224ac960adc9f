import type { Api } from '../../api/management.js';
import { NETWORKS } from '../../components/networks.js';

type Channel = Api<'Channel'>;
type Project = Api<'Project'>;

/** Maximum number of channels to show ungrouped, each with its own column in the post list. */
export const FEW_CHANNELS = 8;

/** A row in the lanes: a channel, or a heading with the name of a project. */
export type LaneRow =
  | { readonly kind: 'group'; readonly id: string; readonly name: string | null }
  | { readonly kind: 'lane'; readonly id: string; readonly channel: Channel };

/** The filters that select channels. */
export interface ChannelFilter {
  readonly channel?: string | undefined;
  readonly project?: string | undefined;
  readonly platform?: string | undefined;
}

/** Returns the channels that match the filters, by network and then in the order they were connected. */
export const selectChannels = (
  channels: readonly Channel[],
  projects: readonly Project[],
  { channel, project, platform }: ChannelFilter,
): readonly Channel[] => {
  const ofProject = projects.find(({ id }) => id === project)?.channel_ids;
  const order = (each: Channel): number => NETWORKS.findIndex((network) => network === each.platform);
  return channels
    .filter(
      (each) =>
        (channel === undefined || each.id === channel) &&
        (platform === undefined || each.platform === platform) &&
        (ofProject === undefined || ofProject.includes(each.id)),
    )
    .toSorted((a, b) => order(a) - order(b) || (a.created_at < b.created_at ? -1 : 1));
};

/**
 * Returns the rows of the lanes. If there are only a few channels, each is a row. Otherwise channels are grouped under
 * their first project, and channels without a project come last.
 * @param search selects channels by their name or their group's name; ignored if there are few channels
 */
export const groupLanes = (
  channels: readonly Channel[],
  projects: readonly Project[],
  search: string,
): readonly LaneRow[] => {
  const wanted = search.trim().toLowerCase();
  const toLane = (channel: Channel): LaneRow => ({ kind: 'lane', id: channel.id, channel });
  if (channels.length <= FEW_CHANNELS) return channels.map(toLane);
  const left = new Map(channels.map((channel) => [channel.id, channel]));
  const rows: LaneRow[] = [];
  const addGroup = (id: string, name: string | null, members: readonly Channel[]): void => {
    const isGroupFound = wanted === '' || (name?.toLowerCase().includes(wanted) ?? false);
    const found = members.filter((channel) => isGroupFound || channel.name.toLowerCase().includes(wanted));
    if (found.length > 0) rows.push({ kind: 'group', id, name }, ...found.map(toLane));
  };
  for (const { id, name, channel_ids: ids } of projects) {
    const members = ids.flatMap((each) => left.get(each) ?? []);
    for (const channel of members) left.delete(channel.id);
    addGroup(id, name, members);
  }
  addGroup('none', null, [...left.values()]);
  return rows;
};
