import { useState } from 'react';
import { management } from '../../api/management.js';
import { type DatedTest, TestResults } from '../../channel-form/test-results.js';
import type { Channel } from '../../channels/channel-state.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { networkTitle } from '../../components/icon.js';
import { toastError } from '../../components/toasts.js';
import { serverNow } from '../../time/server-clock.js';
import { channelMessages as m } from './channel-messages.js';

/** Tests a channel on demand. The test queries the network and posts nothing. */
export const TestCard = ({
  channel,
  tested,
  onTested,
}: {
  readonly channel: Channel;
  readonly tested: DatedTest | null;
  readonly onTested: (tested: DatedTest) => void;
}) => {
  const [isTesting, setIsTesting] = useState(false);
  const test = async (): Promise<void> => {
    setIsTesting(true);
    try {
      const result = await management().post('/channels/{id}/test', { path: { id: channel.id } });
      onTested({ test: result, at: serverNow() });
    } catch (error) {
      toastError(error);
    }
    setIsTesting(false);
  };
  if (tested) return <TestResults channel={channel} tested={tested} onTest={() => void test()} isTesting={isTesting} />;
  return (
    <Card
      title={m.test}
      aside={
        <Button size="small" icon="shield" busy={isTesting} onClick={() => void test()}>
          {isTesting ? m.testing : m.runTest}
        </Button>
      }
    >
      <p className="card-body secondary">{m.testText(networkTitle(channel.platform))}</p>
    </Card>
  );
};
