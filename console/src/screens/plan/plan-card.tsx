import { Link } from '@tanstack/react-router';
import type { DragEvent } from 'react';
import { Icon, NetworkMark } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { isPlanned, networksOf } from '../../planning/planned-posts.js';
import { timeOfDay } from '../../planning/use-when.js';
import { type Post, postTitle } from '../../publications/posts.js';
import { worstOf } from '../../publications/severity.js';
import { StateGlyph, stateNames as names } from '../../publications/states.js';
import { timeOf } from './calendar.js';
import { planMessages as m } from './messages.js';
import type { PlanDrag } from './use-plan-drag.js';

/** A post in the calendar, with its time, networks and text. Planned posts can be dragged or moved with a button. */
export const PlanCard = ({
  post,
  drag,
  isLine = false,
}: {
  readonly post: Post;
  readonly drag: PlanDrag;
  /** True to show the post on one line, as in the month view. */
  readonly isLine?: boolean;
}) => {
  const title = postTitle(post, m.media);
  const state = worstOf(post.publications) ?? 'dismissed';
  const canMove = isPlanned(post);
  const at = timeOf(post);
  const onDragStart = (event: DragEvent): void => {
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', post.id);
    drag.start(post);
  };
  return (
    <article
      className={`plan-card ${isLine ? 'line' : ''} ${canMove ? 'planned' : 'released'}`}
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
