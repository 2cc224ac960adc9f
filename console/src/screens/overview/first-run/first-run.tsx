import './first-run.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type Api, management, queryClient } from '../../../api/management.js';
import type { Overview } from '../../../api/overview.js';
import { useOwnEndpoint } from '../../../api/own-endpoint.js';
import { useChannels, useChannelsSoFar, useEndpoints, useProjects } from '../../../api/things.js';
import { ButtonLink } from '../../../components/button.js';
import { PageHead } from '../../../components/card.js';
import { networkInText } from '../../../components/networks.js';
import { SentenceText } from '../../../components/sentence.js';
import { Loaded, Skeleton } from '../../../components/states.js';
import { sentence } from '../../../i18n/format.js';
import { useScope } from '../../../session/session.js';
import { AttentionList } from '../attention-list.js';
import { firstRunMessages as m } from './messages.js';
import { PostStep } from './post-step.js';
import { Step, type StepState } from './step.js';

const ChannelForm = lazy(async () => ({
  default: (await import('../../../channel-form/channel-form.js')).ChannelForm,
}));

interface ChannelStepProps {
  readonly state: StepState;
  readonly channels: readonly Api<'Channel'>[];
  /** False while more channels are still read. */
  readonly isComplete: boolean;
  readonly onDone: () => void;
}

/** Connects the first channel, and tests it immediately. */
export const ChannelStep = ({ state, channels, isComplete, onDone }: ChannelStepProps) => {
  const { channel: texts } = m;
  const [isTestOk, setIsTestOk] = useState<boolean | null>(null);
  const newest = channels[0];
  if (state !== 'done' || !newest)
    return (
      <Step number={1} state={state} title={texts.title} text={texts.text}>
        <Suspense fallback={<Skeleton rows={4} />}>
          <ChannelForm
            doneLabel={texts.continue}
            onCreated={() => void queryClient.invalidateQueries({ queryKey: ['channels'] })}
            onTest={({ ok }) => setIsTestOk(ok)}
            onDone={onDone}
          />
        </Suspense>
      </Step>
    );
  const text = (
    <>
      <SentenceText
        of={sentence(texts.done, { name: { name: newest.name }, network: networkInText(newest.platform) })}
      />{' '}
      {isComplete && channels.length > 1 && `${texts.more(channels.length - 1)} `}
      {isTestOk === true && texts.mayPost}
      {isTestOk === false && texts.mayNotPost}
    </>
  );
  const action =
    isTestOk === false ? (
      <ButtonLink size="small" to="/channels/$id" params={{ id: newest.id }}>
        {texts.fix}
      </ButtonLink>
    ) : (
      <ButtonLink size="small" to="/channels/new">
        {texts.another}
      </ButtonLink>
    );
  return <Step number={1} state={state} title={texts.title} text={text} action={action} />;
};

/** Returns the newest post, however it was sent, and keeps it up to date. */
export const useNewestPost = (): Api<'Post'> | undefined => {
  const scope = useScope();
  return useQuery({
    queryKey: ['posts', scope.key, 'newest'],
    queryFn: () => management().get('/posts', { query: { ...scope.query, limit: 1 } }),
  }).data?.items[0];
};

/**
 * The two steps from an empty account to its first post. Completed steps stay completed, so people can leave and
 * continue later.
 */
export default function FirstRun({ overview, onLeave }: { readonly overview: Overview; readonly onLeave: () => void }) {
  const all = useChannels();
  const soFar = useChannelsSoFar();
  return (
    <Loaded query={{ ...all, data: all.data ?? (all.error ? undefined : soFar) }} rows={4}>
      {(channels) => <Steps {...{ overview, onLeave, channels, isComplete: all.data !== undefined }} />}
    </Loaded>
  );
}

interface StepsProps {
  readonly overview: Overview;
  readonly onLeave: () => void;
  readonly channels: readonly Api<'Channel'>[];
  /** False while more channels are still read. */
  readonly isComplete: boolean;
}

const Steps = ({ overview, onLeave, channels, isComplete }: StepsProps) => {
  // The first step stays open after it is done, to show the test result.
  const [isConnecting, setIsConnecting] = useState(channels.length === 0);
  const projects = useProjects().data;
  const endpoints = useEndpoints().data;
  const isReady = isComplete && !isConnecting && projects && endpoints;
  const own = useOwnEndpoint(isReady ? { channels, projects, endpoints } : undefined);
  const post = useNewestPost();
  const isPublished = post?.publications.some(({ state }) => state === 'published') ?? false;
  const isDone = [channels.length > 0 && !isConnecting, isPublished];
  const current = isDone.indexOf(false);
  const stateOf = (index: number): StepState => (isDone[index] ? 'done' : index === current ? 'current' : 'later');
  const title = isPublished ? m.published : post ? m.sent : isDone[0] ? m.half : m.none;
  return (
    <div className="first-run">
      <PageHead title={title}>
        {isPublished ? m.publishedSummary : m.summary}{' '}
        <Link className="link" to="/endpoints">
          {m.program}
        </Link>
      </PageHead>
      <AttentionList overview={overview} />
      <ol>
        <ChannelStep {...{ channels, isComplete }} state={stateOf(0)} onDone={() => setIsConnecting(false)} />
        <PostStep
          state={stateOf(1)}
          endpoint={endpoints?.find(({ is_console: isConsole }) => isConsole)}
          error={own.error}
          post={post}
          postsLeft={overview.owner?.posts_left ?? null}
          onLeave={onLeave}
        />
      </ol>
    </div>
  );
};
