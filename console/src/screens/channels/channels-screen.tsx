import './channels.css';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useChannels, useChannelsSoFar, useProjects } from '../../api/things.js';
import { type ChannelsSearch } from '../../app/search.js';
import { bulkMessages } from '../../bulk/bulk-messages.js';
import { type Channel, channelState } from '../../channels/channel-state.js';
import {
  CHANNEL_STATES,
  channelLook,
  channelStateNames as names,
  ChannelStatus,
} from '../../channels/channel-status.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Chip, Select, TextInput } from '../../components/controls.js';
import { Icon, networkInText, NETWORKS, networkTitle } from '../../components/icon.js';
import { type Column, RowList } from '../../components/row-list.js';
import { Empty, Loaded } from '../../components/states.js';
import { CsvButton, wholeList } from '../../csv/csv-button.js';
import { channelColumns } from '../../csv/lists.js';
import { format } from '../../i18n/format.js';
import { PauseDialog, ResumeDialog } from '../../pauses/pause-dialog.js';
import { useOwnerNames } from '../../session/owner-field.js';
import { BulkPause } from './bulk-pause.js';
import { ActionCell, LastCell, NameCell, ProjectsCell, WaitingCell } from './channel-row.js';
import { channelsMessages as m } from './messages.js';
import { groupProjects, selectChannels } from './select-channels.js';

interface ChannelFiltersProps {
  readonly channels: readonly Channel[];
  readonly search: ChannelsSearch;
  readonly onChange: (changes: { readonly [K in keyof ChannelsSearch]: string | undefined }) => void;
}

/** Filters for the list of channels: state, network and a search. */
export const ChannelFilters = ({ channels, search, onChange }: ChannelFiltersProps) => {
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

/** All channels: which ones publish, which ones wait, and why. */
export const ChannelsScreen = () => {
  const channels = useChannels({ hasTraffic: true });
  const soFar = useChannelsSoFar();
  const shown = { ...channels, data: channels.data ?? soFar };
  if (channels.data?.length === 0)
    return (
      <>
        <PageHead title={m.noneTitle} />
        <Card label={m.channels}>
          <Empty
            icon="channel"
            title={m.noneYet}
            action={
              <ButtonLink look="primary" icon="plus" to="/channels/new">
                {m.connect}
              </ButtonLink>
            }
          >
            {m.noneText}
          </Empty>
        </Card>
      </>
    );
  return (
    <Loaded isPage query={shown} rows={8}>
      {(all) => (
        <>
          <ChannelsHead channels={all} />
          <ChannelList channels={all} isComplete={channels.data !== undefined} />
        </>
      )}
    </Loaded>
  );
};

const ChannelsHead = ({ channels }: { readonly channels: readonly Channel[] }) => {
  const onHold = channels.filter((channel) => channelState(channel) === 'on_hold');
  const count = (state: string): number => channels.filter((channel) => channelState(channel) === state).length;
  const networks = [...new Set(onHold.map(({ platform }) => networkInText(platform)))];
  const rest = [
    ...(count('paused') > 0 ? [m.pausedCount(count('paused'))] : []),
    ...(count('disabled') > 0 ? [m.disabledCount(count('disabled'))] : []),
    m.activeCount(count('active')),
  ];
  return (
    <PageHead
      title={
        onHold.length === 0
          ? m.titleWell(channels.length)
          : networks.length === 1
            ? m.titleRefused(channels.length, networks[0] ?? '', onHold.length)
            : m.titleOnHold(channels.length, onHold.length)
      }
      actions={
        <>
          <CsvButton name="channels" columns={channelColumns()} readPage={wholeList(channels)} />
          <ButtonLink look={onHold.length === 0 ? 'primary' : 'plain'} icon="plus" to="/channels/new">
            {m.connect}
          </ButtonLink>
        </>
      }
    >
      {rest.join(' ')}
    </PageHead>
  );
};

interface ChannelListProps {
  readonly channels: readonly Channel[];
  /** False while more channels are loading. */
  readonly isComplete: boolean;
}

const ChannelList = ({ channels, isComplete }: ChannelListProps) => {
  const search = useSearch({ from: '/channels' });
  const navigate = useNavigate({ from: '/channels' });
  const projects = useProjects().data;
  const owners = useOwnerNames();
  const byChannel = useMemo(() => groupProjects(projects ?? []), [projects]);
  const shown = useMemo(() => selectChannels(channels, byChannel, search), [channels, byChannel, search]);
  const [asked, setAsked] = useState<{ readonly verb: 'pause' | 'resume'; readonly channel: Channel } | null>(null);
  const firstOnHold = shown.find((channel) => channelState(channel) === 'on_hold')?.id;
  const columns: readonly Column<Channel>[] = [
    {
      name: 'name',
      title: m.channel,
      cell: (channel) => <NameCell channel={channel} owner={owners?.get(channel.owner_id)} />,
    },
    { name: 'status', title: m.status, cell: (channel) => <ChannelStatus channel={channel} /> },
    {
      name: 'projects',
      title: m.projects,
      cell: ({ id }) => projects && <ProjectsCell projects={byChannel.get(id) ?? []} />,
    },
    { name: 'waiting', title: m.waiting, cell: (channel) => <WaitingCell channel={channel} /> },
    { name: 'last', title: m.lastPublished, cell: (channel) => <LastCell channel={channel} /> },
    {
      name: 'action',
      title: m.action,
      isTitleHidden: true,
      cell: (channel) => (
        <ActionCell
          channel={channel}
          isFirstOnHold={channel.id === firstOnHold}
          onPause={() => setAsked({ verb: 'pause', channel })}
          onResume={() => setAsked({ verb: 'resume', channel })}
        />
      ),
    },
  ];
  const [isBulk, setIsBulk] = useState(false);
  const close = (): void => setAsked(null);
  return (
    <>
      <ChannelFilters
        channels={channels}
        search={search}
        onChange={(changes) =>
          void navigate({ search: (before: ChannelsSearch) => ({ ...before, ...changes }), replace: true })
        }
      />
      {shown.length > 1 && (
        <p className="channels-bulk">
          <Button needs="POST /channels/{id}/pause" size="small" look="quiet" onClick={() => setIsBulk(true)}>
            {bulkMessages.pauseSeveral}
          </Button>
        </p>
      )}
      {isBulk && <BulkPause channels={shown} onClose={() => setIsBulk(false)} />}
      {!isComplete && (
        <p className="secondary" role="status">
          {m.readingMore(format.number(channels.length))}
        </p>
      )}
      <Card label={m.channels}>
        {shown.length === 0 ? (
          <Empty
            icon="search"
            title={m.nothingFound}
            action={
              <ButtonLink to="/channels" search={{}}>
                {m.showAll}
              </ButtonLink>
            }
          />
        ) : (
          <RowList
            label={m.channels}
            items={shown}
            columns={columns}
            rowHeight={{ desktop: 44, phone: 76 }}
            className="channel-list"
          />
        )}
      </Card>
      {asked?.verb === 'pause' && <PauseDialog thing={{ ...asked.channel, kind: 'channel' }} onClose={close} />}
      {asked?.verb === 'resume' && <ResumeDialog thing={{ ...asked.channel, kind: 'channel' }} onClose={close} />}
    </>
  );
};
