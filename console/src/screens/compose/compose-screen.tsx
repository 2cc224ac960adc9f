import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Api, management } from '../../api/management.js';
import { useChannels, useEndpoints, useProjects } from '../../api/things.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, ErrorState, Loaded, Skeleton } from '../../components/states.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import { canBeEdited } from '../../publications/edit-calls.js';
import { useScope } from '../../session/session.js';
import { Composer } from './composer.js';
import { ContentEditor } from './content-editor.js';
import { editedDraft } from './draft.js';
import { type Destination, listDestinations } from './headline.js';
import { composeMessages as m } from './messages.js';

interface EditPostProps {
  readonly postId: string;
  readonly destinations: readonly Destination[];
}

/** The editor for a planned or published post, or an explanation of why it cannot be changed. */
export const EditPost = ({ postId, destinations }: EditPostProps) => {
  const post = useQuery({
    queryKey: ['post', postId],
    queryFn: () => management().get('/posts/{id}', { path: { id: postId } }),
  });
  if (post.data) return <Edit post={post.data} destinations={destinations} />;
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
  readonly destinations: readonly Destination[];
}

const Edit = ({ post, destinations }: EditProps) => {
  const scope = useScope();
  const destination = destinations.find(({ endpoint }) => endpoint.id === post.endpoint_id);
  const channelIds = (destination?.channels ?? []).map(({ id }) => id).join();
  const draft = useMemo(() => editedDraft(post, channelIds.split(',')), [post, channelIds]);
  if (draft && destination && isPlanned(post)) {
    const edited = { id: post.id, draft, isPending: needsApproval(post) };
    return <Composer scopeKey={scope.key} destinations={[destination]} wanted={{ edited }} />;
  }
  if (draft && !isPlanned(post) && post.publications.some(canBeEdited))
    return <ContentEditor post={post} original={draft} />;
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
  const { endpoint, day, time, post: postId } = route.useSearch();
  const scope = useScope();
  const endpoints = useEndpoints();
  const projects = useProjects();
  const channels = useChannels();
  const all = {
    data:
      endpoints.data && projects.data && channels.data
        ? listDestinations(endpoints.data, projects.data, channels.data)
        : undefined,
    error: endpoints.error ?? projects.error ?? channels.error,
    refetch: () => Promise.all([endpoints.refetch(), projects.refetch(), channels.refetch()]),
  };
  return (
    <Loaded query={all} rows={8}>
      {(destinations) =>
        postId !== undefined ? (
          <EditPost key={postId} postId={postId} destinations={destinations} />
        ) : destinations.length > 0 ? (
          <Composer key={scope.key} scopeKey={scope.key} destinations={destinations} wanted={{ endpoint, day, time }} />
        ) : (
          <>
            <PageHead title={m.write} />
            <Card label={m.noEndpoint}>
              <Empty
                icon="endpoint"
                title={m.noEndpoint}
                action={
                  <ButtonLink to="/endpoints/new" look="primary">
                    {m.addEndpoint}
                  </ButtonLink>
                }
              >
                {m.noEndpointText}
              </Empty>
            </Card>
          </>
        )
      }
    </Loaded>
  );
};
