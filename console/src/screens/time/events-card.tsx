import { Fragment, useMemo, useState } from 'react';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Segmented } from '../../components/controls.js';
import { Empty, Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { useNow } from '../../time/server-clock.js';
import { type EventFilter, useEvents, useThrottled } from './data.js';
import { EventFilters } from './event-filters.js';
import { EventRow } from './event-row.js';
import { EventsCsv } from './events-csv.js';
import { timeMessages as m } from './messages.js';
import type { TimeWindow } from './window.js';

type View = 'compared' | 'since' | 'events';

interface EventsCardProps {
  /** The selected moment, in ms since 1970; null for now. */
  readonly at: number | null;
  readonly from: number | null;
  readonly window: TimeWindow;
  readonly filter: EventFilter;
  readonly onFilter: (filter: EventFilter) => void;
  /** Id of the event whose details are open. */
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

/** Lists the events between the two handles, since the selected moment, or in the window, a sentence for each. */
export const EventsCard = ({ at, from, window, filter, onFilter, openId, onOpen }: EventsCardProps) => {
  const [chosen, setChosen] = useState<View | null>(null);
  const now = useNow(60_000);
  const usual: View = from !== null ? 'compared' : at === null ? 'events' : 'since';
  const isPossible =
    chosen !== null && !(chosen === 'compared' && from === null) && !(chosen === 'since' && at === null);
  const view = isPossible ? chosen : usual;
  const options = [
    ...(from === null
      ? []
      : [{ value: 'compared' as const, label: m.tabCompared(format.time(from), format.time(at ?? window.to)) }]),
    ...(at === null ? [] : [{ value: 'since' as const, label: m.tabSince(format.time(at)) }]),
    { value: 'events' as const, label: m.tabEvents },
  ];
  const end = at ?? now + 60_000;
  const { from: first, to: last } =
    view === 'compared' && from !== null
      ? { from: Math.min(from, end) + (from === end ? 0 : 1), to: Math.max(from, end) + 1 } // the API wants no empty period
      : view === 'since' && at !== null
        ? { from: at + 1, to: now + 60_000 }
        : window;
  // As one value: with an old start and a new end, it could be empty.
  const period = useThrottled(useMemo(() => ({ from: first, to: last }), [first, last]));
  return (
    <Card
      className="changes-card"
      title={m.changed}
      aside={
        <span className="row">
          <EventsCsv period={period} filter={filter} />
          {options.length > 1 && <Segmented label={m.view} value={view} options={options} onChange={setChosen} />}
        </span>
      }
    >
      <EventFilters filter={filter} window={period} onChange={onFilter} />
      <Events period={period} filter={filter} onFilter={onFilter} openId={openId} onOpen={onOpen} />
    </Card>
  );
};

interface EventsProps extends Pick<EventsCardProps, 'filter' | 'onFilter' | 'openId' | 'onOpen'> {
  readonly period: TimeWindow;
}

const Events = ({ period, filter, onFilter, openId, onOpen }: EventsProps) => {
  const events = useEvents(period, filter);
  const today = format.longDay(useNow(60_000));
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Loaded query={events}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        const days = items.map((event) => format.longDay(event.at));
        return (
          <>
            {items.length === 0 && (
              <Empty
                icon="timeMachine"
                title={isFiltered ? m.noneMatch : m.noEvents}
                action={isFiltered && <Button onClick={() => onFilter({})}>{m.showAll}</Button>}
              >
                {isFiltered ? m.noneMatchText : m.noEventsText}
              </Empty>
            )}
            <ol className="change-list" aria-label={m.events}>
              {items.map((event, index) => (
                <Fragment key={event.id}>
                  {days[index] !== (days[index - 1] ?? today) && <li className="change-day">{days[index]}</li>}
                  <EventRow
                    event={event}
                    onFilter={onFilter}
                    isOpen={event.id === openId}
                    onToggle={() => onOpen(event.id === openId ? undefined : event.id)}
                  />
                </Fragment>
              ))}
            </ol>
            {events.hasNextPage && (
              <div className="card-body changes-more">
                <Button busy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
                  {m.showMore}
                </Button>
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
};
