import './channel.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { CredentialsDialog } from '../../channel-form/credentials-dialog.js';
import type { DatedTest } from '../../channel-form/test-results.js';
import type { Channel } from '../../channels/channel-state.js';
import { Loaded } from '../../components/states.js';
import { toast } from '../../components/toasts.js';
import { PauseDialog } from '../../pauses/pause-dialog.js';
import { ResumeDialog } from '../../pauses/resume-dialog.js';
import { serverNow } from '../../time/server-clock.js';
import { AttentionCard } from './attention-card.js';
import { ChannelHead } from './channel-head.js';
import { channelMessages as m } from './channel-messages.js';
import { EndCard } from './end-card.js';
import { ProjectsCard } from './projects-card.js';
import { ReceiptsCard } from './receipts-card.js';
import { SettingsCard } from './settings-card.js';
import { TestCard } from './test-card.js';

/** The screen for a channel: problems first, then its posts, its test and its settings. */
export const ChannelScreen = () => {
  const { id } = useParams({ from: '/channels/$id' });
  const channel = useQuery({
    queryKey: ['channel', id],
    queryFn: () => management().get('/channels/{id}', { path: { id } }),
  });
  return (
    <Loaded query={channel} rows={8}>
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
      <div className="channel-page">
        <div className="channel-column">
          {channel.attention && <AttentionCard channel={channel} attention={channel.attention} onReplace={replace} />}
          <ReceiptsCard channelId={channel.id} />
        </div>
        <div className="channel-column">
          <TestCard channel={channel} tested={tested} onTested={setTested} />
          <ProjectsCard channelId={channel.id} />
          <SettingsCard channel={channel} onReplace={replace} />
          <EndCard channel={channel} />
        </div>
      </div>
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
