import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Api, management } from '../../api/management.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, ErrorState, Skeleton } from '../../components/states.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import { useScope } from '../../session/scope.js';
import { Composer } from './composer.js';
import type { Destination } from './destination.js';
import { editedDraft } from './edited-draft.js';
import { composeMessages as m } from './messages.js';

/** The editor for a planned post, or an explanation of why it cannot be changed. */
export const EditPost = ({
  postId,
  destinations,
}: {
  readonly postId: string;
  readonly destinations: readonly Destination[];
}) => {
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

const Edit = ({
  post,
  destinations,
}: {
  readonly post: Api<'PostWithPayload'>;
  readonly destinations: readonly Destination[];
}) => {
  const scope = useScope();
  const destination = destinations.find(({ endpoint }) => endpoint.id === post.endpoint_id);
  const channelIds = (destination?.channels ?? []).map(({ id }) => id).join();
  const draft = useMemo(() => editedDraft(post, channelIds.split(',')), [post, channelIds]);
  if (draft && destination && isPlanned(post)) {
    const edited = { id: post.id, draft, isPending: needsApproval(post) };
    return <Composer scopeKey={scope.key} destinations={[destination]} wanted={{ edited }} />;
  }
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
