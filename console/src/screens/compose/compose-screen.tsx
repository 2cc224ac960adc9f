import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { type Api, management } from '../../api/management.js';
import { type OwnEndpoint, useOwnEndpoint } from '../../api/own-endpoint.js';
import { useChannels, useChannelsSoFar, useEndpoints, useProjects } from '../../api/things.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, ErrorState, Loaded, Skeleton } from '../../components/states.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import { canBeEdited } from '../../publications/edit-calls.js';
import { useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';
import { Composer } from './composer.js';
import { editedDraft } from './draft.js';
import { chooseDestination, destinationWithoutSets, findDestination, listDestinations } from './headline.js';
import { composeMessages as m } from './messages.js';
import { UseAgain } from './use-again.js';
import type { Wanted } from './use-draft.js';

/** The owner's endpoints, projects and channels. */
type Things = Parameters<typeof listDestinations>[0];

const ContentEditor = lazy(async () => ({ default: (await import('./content-editor.js')).ContentEditor }));

interface EditPostProps {
  readonly postId: string;
  readonly things: Things;
}

/** The editor for a planned or published post, or an explanation of why it cannot be changed. */
export const EditPost = ({ postId, things }: EditPostProps) => {
  const post = useQuery({
    queryKey: ['post', postId],
    queryFn: () => management().get('/posts/{id}', { path: { id: postId } }),
  });
  if (post.data) return <Edit post={post.data} things={things} />;
  return (
    <>
      <PageHead title={m.editTitle} />
      <Card>
        {post.error ? <ErrorState error={post.error} onRetry={() => void post.refetch()} /> : <Skeleton rows={8} />}
      </Card>
    </>
  );
};

interface EditProps {
  readonly post: Api<'PostWithPayload'>;
  readonly things: Things;
}

const Edit = ({ post, things }: EditProps) => {
  const scope = useScope();
  const destination = findDestination(post, things);
  const channelIds = (destination?.channels ?? []).map(({ id }) => id).join();
  const draft = useMemo(() => editedDraft(post, channelIds.split(',')), [post, channelIds]);
  if (draft && destination && isPlanned(post)) {
    const edited = { id: post.id, draft, isPending: needsApproval(post) };
    return <Composer scopeKey={scope.key} destinations={[destination]} wanted={{ edited }} missing={null} />;
  }
  if (draft && !isPlanned(post) && post.publications.some(canBeEdited))
    return (
      <Suspense fallback={<Skeleton rows={8} />}>
        <ContentEditor post={post} original={draft} />
      </Suspense>
    );
  return (
    <>
      <PageHead title={m.notEditable} />
      <Card label={m.notEditable}>
        <Empty
          icon="calendar"
          title={m.notEditable}
          action={
            <ButtonLink to="/posts/$id" params={{ id: post.id }}>
              {m.openPost}
            </ButtonLink>
          }
        >
          {draft === null ? m.noContent : m.notEditableText}
        </Empty>
      </Card>
    </>
  );
};

const route = getRouteApi('/compose');

/** Compose, where users write a post or edit a planned one, preview it for each network, and publish it. */
export const ComposeScreen = () => {
  const { endpoint, day, time, post: postId, again } = route.useSearch();
  const endpoints = useEndpoints();
  const projects = useProjects();
  const channels = useChannels();
  const soFar = useChannelsSoFar();
  const isNew = postId === undefined && again === undefined;
  const isLoading = channels.data === undefined || projects.data === undefined;
  // A new post can be written while the channels and sets of a large account are still loading.
  const knownChannels = channels.data ?? (isNew && channels.error === null ? soFar : undefined);
  const knownSets = projects.data ?? (isNew && !channels.data && projects.error === null ? [] : undefined);
  const data =
    endpoints.data && knownSets && knownChannels
      ? { endpoints: endpoints.data, projects: knownSets, channels: knownChannels }
      : undefined;
  const own = useOwnEndpoint(postId === undefined && !isLoading ? data : undefined);
  const all = {
    data,
    error: endpoints.error ?? projects.error ?? channels.error,
    refetch: () => Promise.all([endpoints.refetch(), projects.refetch(), channels.refetch()]),
  };
  if (!useMay('POST /endpoints/{id}/posts'))
    return (
      <>
        <PageHead title={m.notAllowed} />
        <Card label={m.notAllowed}>
          <Empty icon="compose" title={m.notAllowed}>
            {m.notAllowedText}
          </Empty>
        </Card>
      </>
    );
  return (
    <Loaded isPage query={all} rows={8}>
      {(things) =>
        again !== undefined ? (
          <UseAgain key={again} postId={again} things={things} />
        ) : postId === undefined ? (
          <NewPost
            things={things}
            hasSets={projects.data !== undefined}
            isLoading={isLoading}
            own={own}
            wanted={{ endpoint, day, time }}
          />
        ) : (
          <EditPost key={postId} postId={postId} things={things} />
        )
      }
    </Loaded>
  );
};

interface NewPostProps {
  readonly things: Things;
  /** False while the channel sets are still loading. */
  readonly hasSets: boolean;
  /** True while channels or their sets are still loading. */
  readonly isLoading: boolean;
  readonly own: OwnEndpoint;
  readonly wanted: Wanted;
}

/** The editor for a new post. It can be used before there is a channel: it then tells what is missing. */
const NewPost = ({ things, hasSets, isLoading, own, wanted }: NewPostProps) => {
  const scope = useScope();
  // A key that is limited to endpoints posts through them alone.
  const hasOwn = useMay('POST /endpoints/console') && scope.ownerId !== null;
  const destinations = hasSets ? listDestinations(things, hasOwn) : [destinationWithoutSets(things)];
  const best = chooseDestination(destinations, { endpointId: null, setId: null });
  if (best)
    return (
      <Composer
        key={scope.key}
        scopeKey={scope.key}
        destinations={destinations}
        wanted={wanted}
        isLoading={isLoading}
        missing={own.lacksChannel ? 'channel' : best.endpoint.id === '' ? own.error : null}
      />
    );
  return (
    <>
      <PageHead title={m.write} />
      <Card label={m.chooseOwner}>
        <Empty icon="owners" title={m.chooseOwner}>
          {m.chooseOwnerText}
        </Empty>
      </Card>
    </>
  );
};
