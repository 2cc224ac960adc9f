import './first-run.css';
import { useState } from 'react';
import type { Overview } from '../../../api/overview.js';
import { useChannels, useEndpoints, useProjects } from '../../../api/things.js';
import { PageHead } from '../../../components/card.js';
import { Loaded } from '../../../components/states.js';
import { AttentionList } from '../attention-list.js';
import { ChannelStep } from './channel-step.js';
import { EndpointStep } from './endpoint-step.js';
import { firstRunMessages as m } from './messages.js';
import { PostStep } from './post-step.js';
import { ProjectStep } from './project-step.js';
import type { StepState } from './step.js';
import { useNewestPost } from './use-newest-post.js';

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

const Steps = ({
  overview,
  onLeave,
  channels,
  projects,
  endpoint,
}: {
  readonly overview: Overview;
  readonly onLeave: () => void;
  readonly channels: Items<typeof useChannels>;
  readonly projects: Items<typeof useProjects>;
  readonly endpoint: Items<typeof useEndpoints>[number] | undefined;
}) => {
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
