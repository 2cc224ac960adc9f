import { Link } from '@tanstack/react-router';
import type { Api } from '../../api/management.js';
import { setChannelEnabled } from '../../channels/channel-calls.js';
import { type Channel, channelState } from '../../channels/channel-state.js';
import { RetryButton } from '../../channels/retry-button.js';
import { Button } from '../../components/button.js';
import { useSave } from '../../components/form.js';
import { NetworkMark } from '../../components/icon.js';
import { Age } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { channelsMessages as m } from './messages.js';

interface NameCellProps {
  readonly channel: Channel;
  readonly owner: string | undefined;
}

/** The network, name and chat of a channel, and its owner if several owners are shown. */
export const NameCell = ({ channel: { id, name, platform, address }, owner }: NameCellProps) => (
  <span className="row">
    <NetworkMark platform={platform} />
    <Link className="row-link cut" to="/channels/$id" params={{ id }}>
      <bdi>{name}</bdi>
    </Link>
    <bdi className="tertiary cut channel-address">{address.chat_id ?? address.group_id}</bdi>
    {owner !== undefined && <bdi className="tertiary cut">{owner}</bdi>}
  </span>
);

/** The projects that a channel is in. */
export const ProjectsCell = ({ projects }: { readonly projects: readonly Api<'Project'>[] }) => {
  const [first, ...others] = projects;
  if (!first) return <span className="tertiary">{m.noProject}</span>;
  return (
    <span className="row">
      <Link className="link cut" to="/projects/$id" params={{ id: first.id }}>
        <bdi>{first.name}</bdi>
      </Link>
      {others.length > 0 && <span className="tertiary nowrap">{m.more(others.length)}</span>}
    </span>
  );
};

/** The number of posts waiting on a channel. */
export const WaitingCell = ({ channel: { id, waiting } }: { readonly channel: Channel }) =>
  waiting === 0 ? (
    <span className="tertiary">0</span>
  ) : (
    <Link className="link" to="/timeline" search={{ channel: id, state: 'queued' }}>
      {format.number(waiting)}
      {waiting >= MOST_COUNTED && '+'}
    </Link>
  );

/** The gateway counts at most this many waiting posts. */
const MOST_COUNTED = 10_000;

/** Time since a channel's latest publication. */
export const LastCell = ({ channel: { last_published_at: at } }: { readonly channel: Channel }) =>
  at === null ? <span className="tertiary">{m.never}</span> : <Age since={at} ago />;

interface ActionCellProps {
  readonly channel: Channel;
  /** True if this is the first channel on hold, whose button is the screen's primary button. */
  readonly isFirstOnHold: boolean;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** The single action that the list offers for a channel. */
export const ActionCell = ({ channel, isFirstOnHold, onPause, onResume }: ActionCellProps) => {
  const { id, name } = channel;
  const { save: enable, isBusy } = useSave(async () => {
    await setChannelEnabled(id, true);
    toast(m.enabled(name));
  });
  const named = (verb: string) => ({ 'aria-label': `${verb} ${name}`, size: 'small' as const, busy: isBusy });
  switch (channelState(channel)) {
    case 'on_hold':
      return <RetryButton channel={channel} isPrimary={isFirstOnHold} isSmall />;
    case 'paused':
      return (
        <Button needs="POST /channels/{id}/resume" {...named(m.resume)} onClick={onResume}>
          {m.resume}
        </Button>
      );
    case 'disabled':
      return (
        <Button needs="PATCH /channels/{id}" {...named(m.enable)} onClick={enable}>
          {m.enable}
        </Button>
      );
    case 'active':
      return (
        <Button needs="POST /channels/{id}/pause" {...named(m.pause)} look="quiet" onClick={onPause}>
          {m.pause}
        </Button>
      );
  }
};
