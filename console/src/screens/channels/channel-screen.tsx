import './channel.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { useProjects } from '../../api/things.js';
import { ChannelForm, CredentialsDialog } from '../../channel-form/channel-form.js';
import { channelUrl } from '../../channel-form/networks.js';
import type { DatedTest } from '../../channel-form/test-results.js';
import { setChannelEnabled } from '../../channels/channel-calls.js';
import { type Channel, channelState } from '../../channels/channel-state.js';
import { ChannelStatus } from '../../channels/channel-status.js';
import { Button, ExternalLink } from '../../components/button.js';
import { Columns, PageHead, Stack } from '../../components/card.js';
import { useSave } from '../../components/form.js';
import { networkInText, NetworkMark, networkTitle } from '../../components/icon.js';
import { Trail } from '../../components/resource.js';
import { SentenceText } from '../../components/sentence.js';
import { Loaded } from '../../components/states.js';
import { Age } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { sentence } from '../../i18n/format.js';
import { useHeldPosts } from '../../pauses/pause-calls.js';
import { PauseDialog, ResumeDialog } from '../../pauses/pause-dialog.js';
import { PausedBy } from '../../pauses/paused-by.js';
import { useMay } from '../../session/rights.js';
import { serverNow } from '../../time/server-clock.js';
import { AddToSet } from './add-to-set.js';
import { AttentionCard, ProjectsCard, SettingsCard, TestCard } from './channel-cards.js';
import { ChannelNumbersCard } from './channel-numbers-card.js';
import { EndCard } from './end-card.js';
import { channelMessages as m, channelsMessages as listMessages } from './messages.js';
import { ReceiptsCard } from './receipts-card.js';

interface ChannelHeadProps {
  readonly channel: Channel;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** How a channel is doing, its network and chat, and the screen's actions. */
export const ChannelHead = ({ channel, onPause, onResume }: ChannelHeadProps) => {
  const state = channelState(channel);
  const { id, name, platform, address, paused_until: pausedUntil, last_published_at: lastAt } = channel;
  const chat = address.chat_id ?? address.group_id ?? '';
  const url = channelUrl(platform, address);
  return (
    <PageHead
      title={<Title channel={channel} />}
      actions={
        <>
          {state === 'disabled' && <EnableButton id={id} name={name} />}
          {pausedUntil !== null && (
            <Button
              needs="POST /channels/{id}/resume"
              icon="paused"
              look={state === 'paused' ? 'primary' : 'plain'}
              onClick={onResume}
            >
              {m.resume}
            </Button>
          )}
          {state !== 'disabled' && (
            <Button needs="POST /channels/{id}/pause" icon="paused" onClick={onPause}>
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
        {pausedUntil !== null && <PausedBy kind="channel" id={id} />}
        {lastAt === null ? (
          <span>{m.neverPublished}</span>
        ) : (
          <span>
            {m.lastPost} <Age since={lastAt} ago />
          </span>
        )}
        <Waiting id={id} />
      </span>
    </PageHead>
  );
};

/** A link to what waits for a channel. Renders nothing while loading, because a link needs a text. */
const Waiting = ({ id }: { readonly id: string }) => {
  const held = useHeldPosts(id);
  if (!held) return null;
  return (
    <Link className="link" to="/timeline" search={{ channel: id, state: 'queued' }}>
      {held.count === 0 ? m.nothingWaits : m.waiting(held.count, held.isMore)}
    </Link>
  );
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
  const values = { name: { name }, network: networkInText(platform), ...(until !== null && { until: { at: until } }) };
  return <SentenceText of={sentence(text(), values)} />;
};

const EnableButton = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { save: enable, isBusy } = useSave(async () => {
    await setChannelEnabled(id, true);
    toast(m.enabled(name));
  });
  return (
    <Button needs="PATCH /channels/{id}" look="primary" busy={isBusy} onClick={enable}>
      {m.enable}
    </Button>
  );
};

/** The screen for a channel: problems first, then its posts, its test and its settings. */
export const ChannelScreen = () => {
  const { id } = useParams({ from: '/channels/$id' });
  const channel = useQuery({
    queryKey: ['channel', id],
    queryFn: () => management().get('/channels/{id}', { path: { id } }),
  });
  return (
    <Loaded isPage query={channel} rows={8}>
      {(data) => <ChannelPage key={id} channel={data} />}
    </Loaded>
  );
};

const ChannelPage = ({ channel }: { readonly channel: Channel }) => {
  const navigate = useNavigate({ from: '/channels/$id' });
  const { pause, credentials } = useSearch({ from: '/channels/$id' });
  const [isResuming, setIsResuming] = useState(false);
  const [tested, setTested] = useState<DatedTest | null>(null);
  const open = (dialog: 'pause' | 'credentials' | null): void =>
    void navigate({ search: dialog === null ? {} : { [dialog]: '1' }, replace: true, resetScroll: false });
  const thing = { ...channel, kind: 'channel' as const };
  const replace = (): void => open('credentials');
  return (
    <>
      <nav className="trail">
        <Link className="link" to="/channels">
          {m.channels}
        </Link>
        / <bdi className="cut">{channel.name}</bdi>
      </nav>
      <ChannelHead channel={channel} onPause={() => open('pause')} onResume={() => setIsResuming(true)} />
      <Columns first="1.5fr">
        <Stack>
          {channel.attention && <AttentionCard channel={channel} attention={channel.attention} onReplace={replace} />}
          {useMay('GET /channels/{id}/statistics') && <ChannelNumbersCard channel={channel} />}
          {useMay('GET /channels/{id}/receipts') && <ReceiptsCard channelId={channel.id} />}
        </Stack>
        <Stack>
          {useMay('POST /channels/{id}/test') && <TestCard channel={channel} tested={tested} onTested={setTested} />}
          <ProjectsCard channel={channel} />
          <SettingsCard channel={channel} onReplace={replace} />
          {useMay('DELETE /channels/{id}') && <EndCard channel={channel} />}
        </Stack>
      </Columns>
      {pause !== undefined && <PauseDialog thing={thing} onClose={() => open(null)} />}
      {isResuming && <ResumeDialog thing={thing} onClose={() => setIsResuming(false)} />}
      {credentials !== undefined && (
        <CredentialsDialog
          channel={channel}
          onClose={() => open(null)}
          onSaved={({ test }) => {
            setTested({ test, at: serverNow() });
            toast(test.ok ? m.replaced : m.replacedTestFailed);
          }}
        />
      )}
    </>
  );
};

/** Asks for a channel's network and credentials, connects the channel, and tests it at once. */
export const NewChannelScreen = () => {
  const navigate = useNavigate();
  const isForPost = useSearch({ from: '/channels/new' }).for === 'post';
  const [channel, setChannel] = useState<Api<'TestedChannel'> | null>(null);
  const [test, setTest] = useState<Api<'ChannelTest'> | null>(null);
  const describeNext = ({ ok }: Api<'ChannelTest'>): string =>
    !ok ? listMessages.fixThenTest : isForPost ? listMessages.forPost : listMessages.addToProject;
  const failed = test?.checks.find(({ ok }) => !ok)?.name ?? '';
  const title = (): string => {
    if (!channel || !test) return listMessages.newTitle;
    if (test.ok) return listMessages.mayPost(channel.name);
    if (failed === 'rights') return listMessages.mayNotPostYet;
    return failed === 'chat' ? listMessages.chatMissing(networkInText(channel.platform)) : listMessages.tokenRefused;
  };
  return (
    <>
      <PageHead trail={<Trail to="/channels" list={listMessages.channels} here={listMessages.new} />} title={title()}>
        {channel && test ? describeNext(test) : listMessages.newText}
      </PageHead>
      <ChannelForm
        onCreated={setChannel}
        onTest={setTest}
        {...(isForPost
          ? { doneLabel: listMessages.toPost }
          : { next: (connected) => <AddToSet channel={connected} /> })}
        onDone={({ id }) =>
          void (isForPost ? navigate({ to: '/compose' }) : navigate({ to: '/channels/$id', params: { id } }))
        }
      />
    </>
  );
};
