import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Api, management } from '../../api/management.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, ErrorState, Skeleton } from '../../components/states.js';
import { useScope } from '../../session/session.js';
import { type Draft, editedDraft } from './draft.js';
import { draftMessages as m } from './draft-messages.js';
import { findDestination } from './headline.js';
import { keepDraft } from './use-draft.js';

/** The owner's endpoints, projects and channels. */
type Things = Parameters<typeof findDestination>[1];

/**
 * Returns a new draft with a post's content, for the same set or endpoint and the same channels: without its time, and
 * without the ids that name that post alone. Null if the gateway no longer stores the content.
 */
export const draftFrom = (post: Api<'PostWithPayload'>, things: Things): Draft | null => {
  const destination = findDestination(post, things);
  const draft = editedDraft(
    post,
    (destination?.channels ?? []).map(({ id }) => id),
  );
  if (draft === null) return null;
  const { trace_id: _trace, metadata: _metadata, ...kept } = draft.kept;
  const to = { endpointId: destination ? draft.endpointId : null, setId: destination?.setId ?? null };
  return { ...draft, ...to, when: null, externalId: '', revision: null, kept };
};

interface UseAgainProps {
  readonly postId: string;
  readonly things: Things;
}

/** Begins a draft with the content of an earlier post, and opens it in Compose. */
export const UseAgain = ({ postId, things }: UseAgainProps) => {
  const { key: scopeKey } = useScope();
  const navigate = useNavigate();
  const post = useQuery({
    queryKey: ['post', postId],
    queryFn: () => management().get('/posts/{id}', { path: { id: postId } }),
  });
  const isGone = post.data?.payload === null;
  useEffect(() => {
    const draft = post.data && draftFrom(post.data, things);
    if (!draft) return;
    keepDraft(scopeKey, draft);
    void navigate({ to: '/compose', search: {}, replace: true });
  }, [post.data, things, scopeKey, navigate]);
  return (
    <>
      <PageHead title={isGone ? m.noContent : m.loading} />
      <Card label={isGone ? m.noContent : m.loading}>
        {isGone ? (
          <Empty
            icon="compose"
            title={m.noContent}
            action={
              <ButtonLink to="/compose" search={{}}>
                {m.write}
              </ButtonLink>
            }
          >
            {m.noContentText}
          </Empty>
        ) : post.error ? (
          <ErrorState error={post.error} onRetry={() => void post.refetch()} />
        ) : (
          <Skeleton rows={8} />
        )}
      </Card>
    </>
  );
};
