import { useState } from 'react';
import type { Api } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Countdown } from '../../components/time.js';
import { planningMessages as p } from '../../planning/messages.js';
import { MoveDialog } from '../../planning/move-dialog.js';
import { CancelPlannedDialog, PublishNowDialog } from '../../planning/planned-dialogs.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import { ReviewDialog } from '../../planning/review-dialog.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { BannerFrame } from './banner-frame.js';
import { publicationMessages as shared } from './messages.js';
import { payloadTitle } from './payload-title.js';
import { plannedMessages as m } from './planned-messages.js';

/** Shows when a planned post goes out, or that it is waiting for approval, with buttons to change that. */
export const PlannedBanner = ({ post }: { readonly post: Api<'PostWithPayload'> }) => {
  const [dialog, setDialog] = useState<'move' | 'now' | 'cancel' | 'review' | null>(null);
  if (!isPlanned(post)) return null;
  const { publish_at: at, approval } = post;
  const isPending = needsApproval(post);
  const close = (): void => setDialog(null);
  const title = isPending ? m.waitsForApproval : at === null ? m.soon : m.goesOut(when(at));
  return (
    <BannerFrame
      icon={isPending ? 'person' : 'calendar'}
      tone={isPending ? 'warn' : 'time'}
      title={title}
      actions={
        <>
          {isPending && (
            <Button look="primary" onClick={() => setDialog('review')}>
              {p.review}
            </Button>
          )}
          {!isPending && <Button onClick={() => setDialog('now')}>{p.publishNow}</Button>}
          <Button onClick={() => setDialog('move')}>{at === null ? m.giveTime : p.move}</Button>
          {post.payload !== null && (
            <ButtonLink to="/compose" search={{ post: post.id }}>
              {p.edit}
            </ButtonLink>
          )}
          <Button onClick={() => setDialog('cancel')}>{p.cancel}</Button>
        </>
      }
    >
      <p>
        {isPending ? (at === null ? p.approvedGoesNow : p.approvedGoesAt(when(at))) : m.byItself}{' '}
        {at !== null && !isPending && <Countdown until={at} />}
      </p>
      {approval?.state === 'approved' && (
        <p>
          {m.approved}
          {approval.note !== null && (
            <>
              {': '}
              <bdi>{approval.note}</bdi>
            </>
          )}
        </p>
      )}
      {dialog === 'move' && <MoveDialog post={post} title={payloadTitle(post, shared.media)} onClose={close} />}
      {dialog === 'now' && <PublishNowDialog post={post} onClose={close} />}
      {dialog === 'cancel' && <CancelPlannedDialog post={post} onClose={close} />}
      {dialog === 'review' && <ReviewDialog postId={post.id} onClose={close} />}
    </BannerFrame>
  );
};

/** Shows that a planned post was rejected (and why) or cancelled before release. Renders nothing for other posts. */
export const UnreleasedEnd = ({
  post: { approval, released_at: releasedAt, publications },
}: {
  readonly post: Pick<Api<'PostWithPayload'>, 'approval' | 'released_at' | 'publications'>;
}) => {
  const isRejected = approval?.state === 'rejected';
  const isCancelled = releasedAt === null && publications.every(({ state }) => state === 'dismissed');
  if (!isRejected && !isCancelled) return null;
  return (
    <BannerFrame icon="dismissed" tone="idle" title={isRejected ? m.rejected : m.wasCancelled} actions={null}>
      {isRejected && approval.note !== null ? (
        <p>
          {m.rejectedBecause}: <bdi>{approval.note}</bdi>
        </p>
      ) : (
        <p>{m.neverPublished}</p>
      )}
    </BannerFrame>
  );
};
