import { Link } from '@tanstack/react-router';
import { type DragEvent, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { format, sentence } from '../../i18n/format.js';
import { useApprovers } from '../../planning/approvers.js';
import { isPlanned, networksOf } from '../../planning/planned-posts.js';
import { ReviewDialog } from '../../planning/review-dialog.js';
import { formatWhen as when, timeOfDay } from '../../planning/use-when.js';
import { type Post, postTitle, worstOf } from '../../publications/shown-state.js';
import { StateGlyph, stateNames as names } from '../../publications/states.js';
import { useMay } from '../../session/rights.js';
import { timeOf } from './calendar.js';
import { planMessages as m } from './messages.js';
import { type PlanDrag, usePending } from './use-plan.js';

interface PlanCardProps {
  readonly post: Post;
  readonly drag: PlanDrag;
  /** True to show the post on one line, as in the month view. */
  readonly isLine?: boolean;
}

/** A post in the calendar, with its time, networks and text. Planned posts can be dragged or moved with a button. */
export const PlanCard = ({ post, drag, isLine = false }: PlanCardProps) => {
  const title = postTitle(post, m.media);
  const state = worstOf(post.publications) ?? 'dismissed';
  const canMove = useMay('PATCH /posts/{id}') && isPlanned(post);
  const at = timeOf(post);
  const onDragStart = (event: DragEvent): void => {
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', post.id);
    drag.start(post);
  };
  return (
    <article
      className={`plan-card ${isLine ? 'line' : ''} ${isPlanned(post) ? 'planned' : 'released'}`}
      data-state={state}
      data-post={post.id}
      data-at={at}
      aria-busy={drag.moving?.id === post.id || undefined}
      {...(canMove && { draggable: true, onDragStart, onDragEnd: drag.end })}
    >
      <Link className="plan-card-link" draggable={false} to="/posts/$id" params={{ id: post.id }}>
        <span className="plan-card-head">
          <time dateTime={post.publish_at ?? undefined}>{timeOfDay(format, at)}</time>
          {state !== 'planned' && <StateGlyph state={state} size={13} isDecoration={state === 'needs_approval'} />}
        </span>{' '}
        <bdi className="plan-card-text">{title}</bdi>
        {!isLine && (
          <span className="plan-card-foot">
            {networksOf(post).map((platform) => (
              <NetworkMark key={platform} platform={platform} size={14} />
            ))}
            {state === 'needs_approval' && <span className="tone-warn cut">{names.needs_approval}</span>}
          </span>
        )}
        {isLine && state === 'needs_approval' && <span className="visually-hidden">{names.needs_approval}</span>}
      </Link>
      {canMove && (
        <button
          type="button"
          className="plan-move"
          aria-label={m.move(title)}
          title={m.move(title)}
          onClick={() => drag.ask(post)}
        >
          <Icon name="move" size={14} />
        </button>
      )}
    </article>
  );
};

/** Number of posts shown until the list is expanded. */
const SHOWN = 3;

/** The posts that are waiting for approval, regardless of their dates. Renders nothing if there are none. */
export const PendingCard = () => {
  const pending = usePending().data;
  return pending && pending.posts.length > 0 ? <Pending {...pending} /> : null;
};

const Pending = ({ posts, isMore }: { readonly posts: readonly Post[]; readonly isMore: boolean }) => {
  const list = useRef<HTMLUListElement>(null);
  const [reviewed, setReviewed] = useState<string | null>(null);
  const [isAll, setIsAll] = useState(false);
  const mayApprove = useMay('POST /posts/{id}/approve');
  const approversOf = useApprovers(true);
  // One more row takes no more room than the button that would show it.
  const shown = isAll || posts.length === SHOWN + 1 ? posts : posts.slice(0, SHOWN);
  const opener = useRef<HTMLElement>(null);
  const review = (id: string): void => {
    opener.current = document.activeElement as HTMLElement | null;
    setReviewed(id);
  };
  const close = (isDecided: boolean): void => {
    if (isDecided) opener.current = neighbourOf(opener.current);
    setReviewed(null);
  };
  const findNext = (): HTMLElement | null | undefined =>
    opener.current?.isConnected ? opener.current : list.current?.querySelector('button');
  return (
    <Card
      title={
        <>
          {mayApprove ? m.pending : m.pendingForOthers}{' '}
          <span className="plan-count">
            {format.number(posts.length)}
            {isMore && '+'}
          </span>
        </>
      }
      {...(isMore && { aside: m.pendingLimit(format.number(posts.length)) })}
      className="plan-pending"
    >
      <ul ref={list}>
        {shown.map((post) => (
          <PendingRow
            key={post.id}
            post={post}
            approvers={approversOf(post.endpoint_id)}
            onReview={() => review(post.id)}
          />
        ))}
      </ul>
      {shown.length < posts.length && (
        <Button look="quiet" onClick={() => setIsAll(true)}>
          {m.showAll(format.number(posts.length))}
        </Button>
      )}
      {reviewed !== null && <ReviewDialog postId={reviewed} returnFocus={findNext} onClose={close} />}
    </Card>
  );
};

/**
 * Returns the button to focus once the given button has disappeared with its post: the button in the next row or, if
 * there is none, in the previous row.
 */
const neighbourOf = (button: HTMLElement | null): HTMLElement | null => {
  const row = button?.closest('li');
  return (row?.nextElementSibling ?? row?.previousElementSibling ?? null)?.querySelector('button') ?? null;
};

interface PendingRowProps {
  readonly post: Post;
  /** Who may approve it, if others than this person; null if unknown. */
  readonly approvers: string | null;
  readonly onReview: () => void;
}

const PendingRow = ({ post, approvers, onReview }: PendingRowProps) => {
  const title = postTitle(post, m.media);
  return (
    <li>
      <span className="row">
        {networksOf(post).map((platform) => (
          <NetworkMark key={platform} platform={platform} size={16} />
        ))}
      </span>
      <Link className="cut" to="/posts/$id" params={{ id: post.id }}>
        <bdi>{title}</bdi>
      </Link>
      <span className="tertiary">
        {post.publish_at === null ? m.onceApproved : when(post.publish_at)}
        {approvers !== null && (
          <>
            {' · '}
            <SentenceText of={sentence(m.by, { who: { name: approvers } })} />
          </>
        )}
      </span>
      <Button needs="POST /posts/{id}/approve" size="small" aria-label={m.review(title)} onClick={onReview}>
        {m.reviewVerb}
      </Button>
    </li>
  );
};
