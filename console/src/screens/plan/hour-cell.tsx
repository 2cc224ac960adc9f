import { useState } from 'react';
import { format } from '../../i18n/format.js';
import type { Post } from '../../publications/posts.js';
import type { Day } from '../../time/local-time.js';
import type { Hour } from './calendar.js';
import { DropCell } from './drop-cell.js';
import { planMessages as m } from './messages.js';
import { PlanCard } from './plan-card.js';
import type { PlanDrag } from './use-plan-drag.js';

/** Maximum number of posts shown in an hour. If there are more, a button that shows them replaces the last post. */
const SHOWN = 5;

/** An hour of a day, with its posts. */
export const HourCell = ({
  day,
  hour,
  change,
  isPast,
  nowAt,
  posts,
  drag,
}: {
  readonly day: Day;
  readonly hour: number;
  readonly change: Hour['change'];
  readonly isPast: boolean;
  /** The current minute, from 0 to 59, if this is the current hour; otherwise null. */
  readonly nowAt: number | null;
  readonly posts: readonly Post[];
  readonly drag: PlanDrag;
}) => {
  const [isAll, setIsAll] = useState(false);
  const shown = isAll || posts.length <= SHOWN ? posts : posts.slice(0, SHOWN - 1);
  const rest = posts.length - shown.length;
  return (
    <DropCell
      day={day}
      hour={hour}
      drag={drag}
      isPast={isPast}
      className={change ?? ''}
      {...(change && { title: m[change] })}
    >
      {nowAt !== null && <i className="plan-now" style={{ top: `${(nowAt / 60) * 100}%` }} />}
      {change && <span className="plan-change">{m[change]}</span>}
      {shown.map((post) => (
        <PlanCard key={post.id} post={post} drag={drag} />
      ))}
      {rest > 0 && (
        <button type="button" className="plan-rest" onClick={() => setIsAll(true)}>
          {m.more(format.number(rest))}
        </button>
      )}
    </DropCell>
  );
};
