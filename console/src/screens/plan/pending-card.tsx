import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { NetworkMark } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { networksOf } from '../../planning/planned-posts.js';
import { ReviewDialog } from '../../planning/review-dialog.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { type Post, postTitle } from '../../publications/posts.js';
import { planMessages as m } from './messages.js';
import { usePending } from './use-calendar.js';

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
          {m.pending}{' '}
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
          <PendingRow key={post.id} post={post} onReview={() => review(post.id)} />
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

const PendingRow = ({ post, onReview }: { readonly post: Post; readonly onReview: () => void }) => {
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
      <span className="tertiary">{post.publish_at === null ? m.onceApproved : when(post.publish_at)}</span>
      <Button size="small" aria-label={m.review(title)} onClick={onReview}>
        {m.reviewVerb}
      </Button>
    </li>
  );
};
