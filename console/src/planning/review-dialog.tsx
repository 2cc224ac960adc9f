import './review-dialog.css';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Api, GatewayError, management, queryClient } from '../api/management.js';
import { endpointName, useChannels, useNames } from '../api/things.js';
import { Button, ButtonLink } from '../components/button.js';
import { AreaField } from '../components/controls.js';
import { Dialog } from '../components/dialog.js';
import { Icon } from '../components/icon.js';
import { ErrorState, Loaded, Skeleton } from '../components/states.js';
import { toast, toastError } from '../components/toasts.js';
import { ContentCard } from '../publications/content-card.js';
import { useMay } from '../session/rights.js';
import { useNow } from '../time/server-clock.js';
import { ownLimit, readWall, type Wall } from '../walls/read-wall.js';
import { WallCard } from '../walls/wall-card.js';
import { planningMessages as m } from './messages.js';
import { approve, reject } from './planning-calls.js';
import { formatWhen as when } from './use-when.js';

/** A post as readers of one channel would see it. */
export interface PostWall {
  readonly wall: Wall;
  readonly channel: Pick<Api<'Channel'>, 'id' | 'name'>;
}

/**
 * Returns the query for a post's preview. Its time is omitted, because it may have passed while the post waits for
 * approval.
 */
export const usePostPreview = (post: Api<'PostWithPayload'> | undefined) => {
  const mayPreview = useMay('POST /endpoints/{id}/sandbox');
  return useQuery({
    queryKey: ['preview', 'post', post?.id, post?.revision],
    queryFn: () => {
      const { publish_at: _time, ...body } = post?.payload ?? {};
      return management().post('/endpoints/{id}/sandbox', { path: { id: post?.endpoint_id ?? '' }, body });
    },
    enabled: mayPreview && post !== undefined && post.payload !== null,
    // Not retried, because each request counts toward a daily quota.
    retry: false,
  });
};

/** Returns one wall for each network of a post, and a separate wall for each channel with its own text. */
export const usePostWalls = (
  post: Pick<Api<'Post'>, 'publications'>,
  preview: Api<'SandboxResult'>['preview'] | undefined,
): readonly PostWall[] => {
  const channels = useChannels().data;
  if (!preview) return [];
  const shown = new Set<string>();
  return post.publications.flatMap(({ platform, target_id: id }): PostWall[] => {
    const key = preview[id] ? id : platform;
    const found = preview[key];
    if (!found || shown.has(key)) return [];
    shown.add(key);
    const channel = channels?.find((each) => each.id === id);
    return [
      {
        wall: readWall(platform, found, id, channel ? ownLimit(channel) : null),
        channel: channel ?? { id, name: id },
      },
    ];
  });
};

/** Maximum number of characters in a comment. */
const MAX_COMMENT = 500;

/** Called when the dialog closes. `isDecided` is true if the post no longer waits for this person's decision. */
type OnClose = (isDecided: boolean) => void;

const postKey = (postId: string): readonly string[] => ['post', postId];

interface ReviewDialogProps {
  readonly postId: string;
  /** Returns the element to focus when the dialog closes. */
  readonly returnFocus?: () => HTMLElement | null | undefined;
  readonly onClose: OnClose;
}

/** Shows a post that is waiting for approval the way readers would see it, and asks for a decision. */
export const ReviewDialog = ({ postId, returnFocus, onClose }: ReviewDialogProps) => {
  const post = useQuery({
    queryKey: postKey(postId),
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

/**
 * Keeps showing the version that the dialog opened with until the person asks for a newer one, because an approval is
 * for what was read (D-81).
 */
const Review = ({ post: latest, onClose }: { readonly post: Api<'PostWithPayload'>; readonly onClose: OnClose }) => {
  const [post, setPost] = useState(latest);
  const [isReplaced, setIsReplaced] = useState(false);
  const preview = usePostPreview(post);
  const now = useNow(60_000);
  const endpoint = useNames().endpoint(post.endpoint_id);
  const showLatest = (): void => {
    // Newer than `latest` if the gateway has just refused the approval.
    setPost(queryClient.getQueryData(postKey(post.id)) ?? latest);
    setIsReplaced(true);
  };
  const at = post.publish_at === null || Date.parse(post.publish_at) <= now ? null : post.publish_at;
  return (
    <>
      <p className="secondary">
        {endpoint && <bdi>{m.reviewSummary(endpointName(endpoint))}</bdi>}{' '}
        {at === null ? m.approvedGoesNow : m.approvedGoesAt(when(at))}
      </p>
      <PostWalls post={post} preview={preview} />
      <Decision
        post={post}
        at={at}
        isReadable={!preview.isLoading}
        isOutdated={latest.revision !== post.revision}
        isReplaced={isReplaced}
        showLatest={showLatest}
        onClose={onClose}
      />
    </>
  );
};

interface PostWallsProps {
  readonly post: Api<'PostWithPayload'>;
  readonly preview: ReturnType<typeof usePostPreview>;
}

/** The post as it would appear on each network's wall. */
const PostWalls = ({ post, preview }: PostWallsProps) => {
  const now = useNow(60_000);
  const walls = usePostWalls(post, preview.data?.preview);
  const mayPreview = useMay('POST /endpoints/{id}/sandbox');
  const names = useNames();
  if (preview.error) return <ErrorState error={preview.error} />;
  if (post.payload === null) return <p className="secondary">{m.noPreview}</p>;
  // Without previews, all that was written is shown, because an approval is for what was read (D-81).
  if (!mayPreview) return <ContentCard payload={post.payload} names={names} isWhole />;
  if (!preview.data) return <Skeleton rows={6} />;
  return (
    <div className="review-walls">
      {walls.map(({ wall, channel }) => (
        <WallCard key={channel.id} wall={wall} channel={channel} at={post.publish_at ?? now} />
      ))}
    </div>
  );
};

interface DecisionProps {
  readonly post: Api<'PostWithPayload'>;
  /** Time at which the approved post is published; null for immediately. */
  readonly at: string | null;
  /** False while the post's content is loading. */
  readonly isReadable: boolean;
  /** True if there is a newer version of the post than the one shown. */
  readonly isOutdated: boolean;
  /** True if the version shown has replaced the one that the dialog opened with. */
  readonly isReplaced: boolean;
  readonly showLatest: () => void;
  readonly onClose: OnClose;
}

/** The comment and the two buttons. A rejection needs a reason. */
const Decision = ({ post, at, isReadable, isOutdated, isReplaced, showLatest, onClose }: DecisionProps) => {
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
      if (decision === 'approve') await approve(post, written === '' ? null : written);
      else await reject(post.id, written);
      toast(decision === 'reject' ? m.rejected : at === null ? m.approvedNow : m.approvedPlanned(when(at)));
      onClose(true);
    } catch (error) {
      const status = error instanceof GatewayError ? error.status : 0;
      if (status === 412) showLatest();
      else toastError(error);
      // The post was already approved, rejected or deleted. After any other failure, the comment must not be lost.
      if (status === 404 || status === 409) onClose(true);
      else setBusy(null);
    }
  };
  const error = isLong ? m.longReason : isReasonMissing && written === '' ? m.noReason : null;
  return (
    <div className="review-form">
      <div role="status">
        {(isOutdated || isReplaced) && (
          <p className="review-changed">
            <Icon name="retrying" tone="warn" />
            <span>{isOutdated ? m.changedMeanwhile : m.changedShown}</span>
            {isOutdated && (
              <Button size="small" onClick={showLatest}>
                {m.showNewVersion}
              </Button>
            )}
          </p>
        )}
      </div>
      <AreaField
        label={m.comment}
        hint={m.commentHint}
        error={error}
        ref={field}
        rows={2}
        value={comment}
        onChange={setComment}
      />
      <div className="dialog-actions">
        {post.payload !== null && (
          <ButtonLink className="review-edit" look="quiet" icon="compose" to="/compose" search={{ post: post.id }}>
            {m.edit}
          </ButtonLink>
        )}
        <Button look="danger" busy={busy === 'reject'} onClick={() => void decide('reject')}>
          {m.reject}
        </Button>
        <Button look="primary" busy={busy === 'approve'} disabled={!isReadable} onClick={() => void decide('approve')}>
          {m.approve}
        </Button>
      </div>
    </div>
  );
};
