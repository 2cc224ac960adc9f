import './first-run.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, management, queryClient } from '../../../api/management.js';
import type { Overview } from '../../../api/overview.js';
import { useChannels, useEndpoints, useProjects } from '../../../api/things.js';
import { ChannelForm } from '../../../channel-form/channel-form.js';
import { ButtonLink } from '../../../components/button.js';
import { PageHead } from '../../../components/card.js';
import { networkTitle } from '../../../components/networks.js';
import { SentenceText } from '../../../components/sentence.js';
import { Loaded } from '../../../components/states.js';
import { sentence } from '../../../i18n/format.js';
import { useScope } from '../../../session/session.js';
import { AttentionList } from '../attention-list.js';
import { EndpointStep } from './endpoint-step.js';
import { firstRunMessages as m } from './messages.js';
import { PostStep } from './post-step.js';
import { ProjectStep } from './project-step.js';
import { Step, type StepState } from './step.js';

interface ChannelStepProps {
  readonly state: StepState;
  readonly channels: readonly Api<'Channel'>[];
  readonly onDone: () => void;
}

/** Connects the first channel, and tests it immediately. */
export const ChannelStep = ({ state, channels, onDone }: ChannelStepProps) => {
  const { channel: texts } = m;
  const [isTestOk, setIsTestOk] = useState<boolean | null>(null);
  const first = channels.at(-1); // the list is newest first
  if (state !== 'done' || !first)
    return (
      <Step number={1} state={state} title={texts.title} text={texts.text}>
        <ChannelForm
          doneLabel={texts.continue}
          onCreated={() => void queryClient.invalidateQueries({ queryKey: ['channels'] })}
          onTest={({ ok }) => setIsTestOk(ok)}
          onDone={onDone}
        />
      </Step>
    );
  const text = (
    <>
      <SentenceText of={sentence(texts.done, { name: { name: first.name }, network: networkTitle(first.platform) })} />{' '}
      {channels.length > 1 && `${texts.more(channels.length - 1)} `}
      {isTestOk === true && texts.mayPost}
      {isTestOk === false && texts.mayNotPost}
    </>
  );
  const action =
    isTestOk === false ? (
      <ButtonLink size="small" to="/channels/$id" params={{ id: first.id }}>
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
 * The four steps from an empty account to its first post. Completed steps stay completed, so people can leave and
 * continue later.
 */
export default function FirstRun({ overview, onLeave }: { readonly overview: Overview; readonly onLeave: () => void }) {
  const channels = useChannels();
  const projects = useProjects();
  const endpoints = useEndpoints();
  return (
    <Loaded query={channels} rows={4}>
      {(allChannels) => (
        <Loaded query={projects} rows={4}>
          {(allProjects) => (
            <Loaded query={endpoints} rows={4}>
              {(allEndpoints) => (
                <Steps
                  {...{ overview, onLeave }}
                  channels={allChannels}
                  projects={allProjects}
                  endpoint={allEndpoints.find(({ mode }) => mode === 'live')}
                />
              )}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

type Items<T extends () => { readonly data: unknown }> = NonNullable<ReturnType<T>['data']>;

interface StepsProps {
  readonly overview: Overview;
  readonly onLeave: () => void;
  readonly channels: Items<typeof useChannels>;
  readonly projects: Items<typeof useProjects>;
  readonly endpoint: Items<typeof useEndpoints>[number] | undefined;
}

const Steps = ({ overview, onLeave, channels, projects, endpoint }: StepsProps) => {
  // The first and third steps stay open after they are done, to show the test result and the secrets, respectively.
  const [isConnecting, setIsConnecting] = useState(channels.length === 0);
  const [isSaving, setIsSaving] = useState(false);
  const post = useNewestPost();
  const isPublished = post?.publications.some(({ state }) => state === 'published') ?? false;
  const isDone = [
    channels.length > 0 && !isConnecting,
    projects.length > 0,
    endpoint !== undefined && !isSaving,
    isPublished,
  ];
  const current = isDone.indexOf(false);
  const stateOf = (index: number): StepState => (isDone[index] ? 'done' : index === current ? 'current' : 'later');
  const doneSteps = isDone.filter(Boolean).length;
  const title = isPublished
    ? m.published
    : post
      ? m.sent
      : doneSteps === 0
        ? m.none
        : m.done(doneSteps, m.next[current] ?? '');
  return (
    <div className="first-run">
      <PageHead title={title}>{isPublished ? m.publishedSummary : m.summary}</PageHead>
      <AttentionList overview={overview} />
      <ol>
        <ChannelStep state={stateOf(0)} channels={channels} onDone={() => setIsConnecting(false)} />
        <ProjectStep state={stateOf(1)} channels={channels} project={projects[0]} />
        <EndpointStep
          state={stateOf(2)}
          plan={overview.owner?.plan ?? ''}
          projects={projects}
          endpoint={endpoint}
          onSaving={setIsSaving}
        />
        <PostStep
          state={stateOf(3)}
          endpoint={endpoint}
          post={post}
          postsLeft={overview.owner?.posts_left ?? null}
          onLeave={onLeave}
        />
      </ol>
    </div>
  );
};
