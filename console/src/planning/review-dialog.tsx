import './review-dialog.css';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Api, GatewayError, management } from '../api/management.js';
import { useNames } from '../api/things.js';
import { Button, ButtonLink } from '../components/button.js';
import { Field, TextArea } from '../components/controls.js';
import { Dialog } from '../components/dialog.js';
import { ErrorState, Loaded, Skeleton } from '../components/states.js';
import { toast } from '../components/toasts.js';
import { useMessages } from '../i18n/messages.js';
import { useNow } from '../time/server-clock.js';
import { WallCard } from '../walls/wall-card.js';
import { planningMessages } from './messages.js';
import { approve, reject, toastRefusal } from './planning-calls.js';
import { usePostPreview, usePostWalls } from './use-post-walls.js';
import { useWhen } from './use-when.js';

/** Maximum number of characters in a comment. */
const MAX_COMMENT = 500;

/** Called when the dialog closes. `isDecided` is true if the post no longer waits for this person's decision. */
type OnClose = (isDecided: boolean) => void;

/** Shows a post that is waiting for approval the way readers would see it, and asks for a decision. */
export const ReviewDialog = ({
  postId,
  returnFocus,
  onClose,
}: {
  readonly postId: string;
  /** Returns the element to focus when the dialog closes. */
  readonly returnFocus?: () => HTMLElement | null | undefined;
  readonly onClose: OnClose;
}) => {
  const m = useMessages(planningMessages);
  const post = useQuery({
    queryKey: ['post', postId],
    queryFn: () => management().get('/posts/{id}', { path: { id: postId } }),
  });
  return (
    <Dialog
      title={m.reviewTitle}
      isOpen
      onClose={() => onClose(false)}
      className="review"
      {...(returnFocus && { returnFocus })}
    >
      <Loaded query={post} rows={6}>
        {(loaded) => <Review post={loaded} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
};

const Review = ({ post, onClose }: { readonly post: Api<'PostWithPayload'>; readonly onClose: OnClose }) => {
  const m = useMessages(planningMessages);
  const when = useWhen();
  const now = useNow(60_000);
  const endpoint = useNames().endpoint(post.endpoint_id);
  const at = post.publish_at === null || Date.parse(post.publish_at) <= now ? null : post.publish_at;
  return (
    <>
      <p className="secondary">
        {endpoint && <bdi>{m.reviewSummary(endpoint.name ?? endpoint.slug)}</bdi>}{' '}
        {at === null ? m.approvedGoesNow : m.approvedGoesAt(when(at))}
      </p>
      <PostWalls post={post} />
      <Decision post={post} at={at} onClose={onClose} />
    </>
  );
};

/** The post as it would appear on each network's wall. */
const PostWalls = ({ post }: { readonly post: Api<'PostWithPayload'> }) => {
  const m = useMessages(planningMessages);
  const now = useNow(60_000);
  const preview = usePostPreview(post);
  const walls = usePostWalls(post, preview.data?.preview);
  if (preview.error) return <ErrorState error={preview.error} />;
  if (post.payload === null) return <p className="secondary">{m.noPreview}</p>;
  if (!preview.data) return <Skeleton rows={6} />;
  return (
    <div className="review-walls">
      {walls.map(({ wall, channel }) => (
        <WallCard key={channel.id} wall={wall} channel={channel} at={post.publish_at ?? now} />
      ))}
    </div>
  );
};

/** The comment and the two buttons. A rejection needs a reason. */
const Decision = ({
  post,
  at,
  onClose,
}: {
  readonly post: Api<'PostWithPayload'>;
  /** Time at which the approved post is published; null for immediately. */
  readonly at: string | null;
  readonly onClose: OnClose;
}) => {
  const m = useMessages(planningMessages);
  const when = useWhen();
  const [comment, setComment] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const [isReasonMissing, setIsReasonMissing] = useState(false);
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null);
  const written = comment.trim();
  const isLong = [...written].length > MAX_COMMENT;
  const decide = async (decision: 'approve' | 'reject'): Promise<void> => {
    if (busy !== null || isLong) return;
    if (decision === 'reject' && written === '') {
      setIsReasonMissing(true);
      return field.current?.focus();
    }
    setBusy(decision);
    try {
      if (decision === 'approve') await approve(post.id, written === '' ? null : written);
      else await reject(post.id, written);
      toast(decision === 'reject' ? m.rejected : at === null ? m.approvedNow : m.approvedPlanned(when(at)));
      onClose(true);
    } catch (error) {
      toastRefusal(error, m);
      // The post was already approved, rejected, changed or deleted. After any other failure, the comment must not be
      // lost.
      if (error instanceof GatewayError && [404, 409, 412].includes(error.status)) onClose(true);
      else setBusy(null);
    }
  };
  const error = isLong ? m.longReason : isReasonMissing && written === '' ? m.noReason : null;
  return (
    <div className="review-form">
      <Field label={m.comment} hint={m.commentHint} error={error}>
        {(ids) => (
          <TextArea
            {...ids}
            ref={field}
            rows={2}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      <div className="dialog-actions">
        {post.payload !== null && (
          <ButtonLink className="review-edit" look="quiet" icon="compose" to="/compose" search={{ post: post.id }}>
            {m.edit}
          </ButtonLink>
        )}
        <Button look="danger" busy={busy === 'reject'} onClick={() => void decide('reject')}>
          {m.reject}
        </Button>
        <Button look="primary" busy={busy === 'approve'} onClick={() => void decide('approve')}>
          {m.approve}
        </Button>
      </div>
    </div>
  );
};
