import { useState } from 'react';
import type { Api } from '../../../api/management.js';
import { queryClient } from '../../../api/query-client.js';
import { ChannelForm } from '../../../channel-form/channel-form.js';
import { ButtonLink } from '../../../components/button.js';
import { networkTitle } from '../../../components/networks.js';
import { SentenceText } from '../../../components/sentence.js';
import { sentence } from '../../../i18n/sentence.js';
import { firstRunMessages } from './messages.js';
import { Step, type StepState } from './step.js';

/** Connects the first channel, and tests it immediately. */
export const ChannelStep = ({
  state,
  channels,
  onDone,
}: {
  readonly state: StepState;
  readonly channels: readonly Api<'Channel'>[];
  readonly onDone: () => void;
}) => {
  const { channel: m } = firstRunMessages;
  const [isTestOk, setIsTestOk] = useState<boolean | null>(null);
  const first = channels.at(-1); // the list is newest first
  if (state !== 'done' || !first)
    return (
      <Step number={1} state={state} title={m.title} text={m.text}>
        <ChannelForm
          doneLabel={m.continue}
          onCreated={() => void queryClient.invalidateQueries({ queryKey: ['channels'] })}
          onTest={({ ok }) => setIsTestOk(ok)}
          onDone={onDone}
        />
      </Step>
    );
  const text = (
    <>
      <SentenceText of={sentence(m.done, { name: { name: first.name }, network: networkTitle(first.platform) })} />{' '}
      {channels.length > 1 && `${m.more(channels.length - 1)} `}
      {isTestOk === true && m.mayPost}
      {isTestOk === false && m.mayNotPost}
    </>
  );
  const action =
    isTestOk === false ? (
      <ButtonLink size="small" to="/channels/$id" params={{ id: first.id }}>
        {m.fix}
      </ButtonLink>
    ) : (
      <ButtonLink size="small" to="/channels/new">
        {m.another}
      </ButtonLink>
    );
  return <Step number={1} state={state} title={m.title} text={text} action={action} />;
};
