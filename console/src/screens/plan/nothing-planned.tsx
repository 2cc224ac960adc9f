import { Link } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Empty } from '../../components/states.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { browserZone, type Day, toLocal } from '../../time/local-time.js';
import type { View } from './calendar.js';
import { planMessages as m } from './messages.js';
import { useNextPlanned } from './use-calendar.js';

/** Shown above an empty calendar: links to the next planned post, or to Compose if there is none. */
export const NothingPlanned = ({
  after,
  view,
  first,
}: {
  /** End of the shown period, in ms since 1970. */
  readonly after: number;
  readonly view: View;
  readonly first: Day;
}) => {
  const next = useNextPlanned(after).data;
  if (next === undefined) return null;
  if (next?.publish_at)
    return (
      <p className="secondary plan-limit">
        {m.next(when(next.publish_at))}{' '}
        <Link
          className="link"
          to="/plan"
          search={{ ...(view === 'month' && { view }), from: toLocal(Date.parse(next.publish_at), browserZone()).day }}
        >
          {m.showNext}
        </Link>
      </p>
    );
  return (
    <Card label={m.emptyTitle} className="plan-empty">
      <Empty
        icon="calendar"
        title={m.emptyTitle}
        action={
          <ButtonLink to="/compose" search={{ day: first }}>
            {m.schedule}
          </ButtonLink>
        }
      >
        {m.emptyText}
      </Empty>
    </Card>
  );
};
