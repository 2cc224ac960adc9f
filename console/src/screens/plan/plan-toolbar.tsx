import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { Segmented } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { browserZone, type Day, toLocal } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import { step, type View } from './calendar.js';
import { middleOf } from './day-head.js';
import { planMessages as m } from './messages.js';

/** Buttons for switching between week and month, and for going to the previous or next week or month. */
export const PlanToolbar = ({
  view,
  first,
  days,
}: {
  readonly view: View;
  readonly first: Day;
  readonly days: readonly Day[];
}) => {
  const navigate = useNavigate();
  const show = (next: View, from: Day | null): void => {
    const isToday = from === null || from === toLocal(serverNow(), browserZone()).day;
    const search = { ...(next === 'month' && { view: next }), ...(!isToday && { from }) };
    void navigate({ to: '/plan', search });
  };
  const last = days.at(-1) ?? first;
  const shown = view === 'week' ? format.dayRange(middleOf(first), middleOf(last)) : format.month(middleOf(first));
  return (
    <div className="plan-toolbar">
      <Button
        size="small"
        aria-label={m.earlier[view]}
        title={m.earlier[view]}
        onClick={() => show(view, step(view, first, -1))}
      >
        <Icon name="chevronLeft" />
      </Button>
      <Button size="small" onClick={() => show(view, null)}>
        {m.today}
      </Button>
      <Button
        size="small"
        aria-label={m.later[view]}
        title={m.later[view]}
        onClick={() => show(view, step(view, first, 1))}
      >
        <Icon name="chevronRight" />
      </Button>
      <h2 aria-live="polite">{shown}</h2>
      <span className="plan-space" />
      <Segmented
        label={m.view}
        value={view}
        options={[
          { value: 'week', label: m.week },
          { value: 'month', label: m.month },
        ]}
        onChange={(next) => show(next, first)}
      />
    </div>
  );
};
