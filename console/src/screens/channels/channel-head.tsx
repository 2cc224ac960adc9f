import { Link } from '@tanstack/react-router';
import { useProjects } from '../../api/things.js';
import { channelUrl } from '../../channel-form/networks.js';
import { setChannelEnabled } from '../../channels/channel-calls.js';
import { type Channel, channelState } from '../../channels/channel-state.js';
import { ChannelStatus } from '../../channels/channel-status.js';
import { useLastPublished, useTraffic } from '../../channels/traffic.js';
import { Button, ExternalLink } from '../../components/button.js';
import { PageHead } from '../../components/card.js';
import { NetworkMark } from '../../components/icon.js';
import { networkTitle } from '../../components/networks.js';
import { SentenceText } from '../../components/sentence.js';
import { Age } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { sentence } from '../../i18n/sentence.js';
import { useHeldPosts } from '../../pauses/held-posts.js';
import { channelMessages as m } from './channel-messages.js';
import { useSave } from '../../components/form.js';

/** How a channel is doing, its network and chat, and the screen's actions. */
export const ChannelHead = ({
  channel,
  onPause,
  onResume,
}: {
  readonly channel: Channel;
  readonly onPause: () => void;
  readonly onResume: () => void;
}) => {
  const state = channelState(channel);
  const { id, name, platform, address, paused_until: pausedUntil } = channel;
  const chat = address.chat_id ?? address.group_id ?? '';
  const url = channelUrl(platform, address);
  const lastAt = useLastPublished(id, useTraffic());
  return (
    <PageHead
      title={<Title channel={channel} />}
      actions={
        <>
          {state === 'disabled' && <EnableButton id={id} name={name} />}
          {pausedUntil !== null && (
            <Button icon="paused" look={state === 'paused' ? 'primary' : 'plain'} onClick={onResume}>
              {m.resume}
            </Button>
          )}
          {state !== 'disabled' && (
            <Button icon="paused" onClick={onPause}>
              {pausedUntil === null ? m.pause : m.pauseLonger}
            </Button>
          )}
        </>
      }
    >
      <span className="channel-facts">
        <span className="row">
          <NetworkMark platform={platform} label={false} />
          {networkTitle(platform)}
          {url === null ? (
            <bdi>{chat}</bdi>
          ) : (
            <ExternalLink href={url}>
              <bdi>{chat}</bdi>
            </ExternalLink>
          )}
        </span>
        <ChannelStatus channel={channel} />
        {lastAt === null && <span>{m.neverPublished}</span>}
        {typeof lastAt === 'string' && (
          <span>
            {m.lastPost} <Age since={lastAt} ago />
          </span>
        )}
        <Link className="link" to="/timeline" search={{ channel: id, state: 'queued' }}>
          <Waiting id={id} />
        </Link>
      </span>
    </PageHead>
  );
};

const Waiting = ({ id }: { readonly id: string }) => {
  const held = useHeldPosts(id);
  if (!held) return null;
  return held.count === 0 ? m.nothingWaits : m.waiting(held.count, held.isMore);
};

const Title = ({ channel }: { readonly channel: Channel }) => {
  const held = useHeldPosts(channel.id);
  const { id, name, platform, attention, paused_until: until } = channel;
  const isInNoProject = useProjects().data?.every(({ channel_ids: ids }) => !ids.includes(id)) ?? false;
  const text = (): string => {
    switch (channelState(channel)) {
      case 'disabled':
        return m.isDisabled;
      case 'on_hold':
        return attention?.code.startsWith('credentials_') ? m.hasNoCredentials : m.isRefused;
      case 'paused':
        return m.isPaused;
      case 'active':
        if (isInNoProject) return m.isInNoProject;
        return held && held.count > 0 ? m.publishesWithQueue(held.count, held.isMore) : m.publishes;
    }
  };
  const values = { name: { name }, network: networkTitle(platform), ...(until !== null && { until: { at: until } }) };
  return <SentenceText of={sentence(text(), values)} />;
};

const EnableButton = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { save: enable, isBusy } = useSave(async () => {
    await setChannelEnabled(id, true);
    toast(m.enabled(name));
  });
  return (
    <Button look="primary" busy={isBusy} onClick={enable}>
      {m.enable}
    </Button>
  );
};
