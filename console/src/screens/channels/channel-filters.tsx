import { type Channel, channelState } from '../../channels/channel-state.js';
import { CHANNEL_STATES, channelLook, channelStateNames as names } from '../../channels/channel-status.js';
import { Chip, Select, TextInput } from '../../components/controls.js';
import { Icon, NETWORKS, networkTitle } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { channelsMessages as m } from './messages.js';
import type { ChannelsSearch } from './search.js';

/** Filters for the list of channels: state, network and a search. */
export const ChannelFilters = ({
  channels,
  search,
  onChange,
}: {
  readonly channels: readonly Channel[];
  readonly search: ChannelsSearch;
  readonly onChange: (changes: { readonly [K in keyof ChannelsSearch]: string | undefined }) => void;
}) => {
  const count = (state: string): number => channels.filter((channel) => channelState(channel) === state).length;
  const networks = NETWORKS.filter((network) => channels.some(({ platform }) => platform === network));
  return (
    <div className="filters">
      <Chip isOn={search.state === undefined} onClick={() => onChange({ state: undefined })}>
        {m.all} {format.number(channels.length)}
      </Chip>
      {CHANNEL_STATES.filter((state) => count(state) > 0 || search.state === state).map((state) => (
        <Chip
          key={state}
          isOn={search.state === state}
          onClick={() => onChange({ state: search.state === state ? undefined : state })}
        >
          <Icon
            name={channelLook(state).icon}
            size={14}
            {...(search.state !== state && { tone: channelLook(state).tone })}
          />
          {names[state]} {format.number(count(state))}
        </Chip>
      ))}
      {networks.length > 1 && (
        <Select
          className="filter-select"
          aria-label={m.network}
          value={search.network ?? ''}
          onChange={(event) => onChange({ network: event.target.value || undefined })}
        >
          <option value="">{m.allNetworks}</option>
          {networks.map((network) => (
            <option key={network} value={network}>
              {networkTitle(network)}
            </option>
          ))}
        </Select>
      )}
      <TextInput
        className="filter-find"
        type="search"
        aria-label={m.find}
        placeholder={m.find}
        value={search.find ?? ''}
        onChange={(event) => onChange({ find: event.target.value || undefined })}
      />
    </div>
  );
};
