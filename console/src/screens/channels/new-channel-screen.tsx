import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Api } from '../../api/management.js';
import { ChannelForm } from '../../channel-form/channel-form.js';
import { PageHead } from '../../components/card.js';
import { networkTitle } from '../../components/icon.js';
import { channelsMessages as m } from './messages.js';

/** Asks for a channel's network and credentials, connects the channel, and tests it at once. */
export const NewChannelScreen = () => {
  const navigate = useNavigate();
  const [channel, setChannel] = useState<Api<'TestedChannel'> | null>(null);
  const [test, setTest] = useState<Api<'ChannelTest'> | null>(null);
  const failed = test?.checks.find(({ ok }) => !ok)?.name ?? '';
  const title = (): string => {
    if (!channel || !test) return m.newTitle;
    if (test.ok) return m.mayPost(channel.name);
    if (failed === 'rights') return m.mayNotPostYet;
    return failed === 'chat' ? m.chatMissing(networkTitle(channel.platform)) : m.tokenRefused;
  };
  return (
    <>
      <PageHead
        trail={
          <>
            <Link className="link" to="/channels">
              {m.channels}
            </Link>
            / {m.new}
          </>
        }
        title={title()}
      >
        {channel && test ? (test.ok ? m.addToProject : m.fixThenTest) : m.newText}
      </PageHead>
      <ChannelForm
        onCreated={setChannel}
        onTest={setTest}
        onDone={({ id }) => void navigate({ to: '/channels/$id', params: { id } })}
      />
    </>
  );
};
