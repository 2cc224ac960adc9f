import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Segmented } from '../../components/controls.js';
import { Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { ChangeRow, EventRow } from './change-row.js';
import { useDifferences, useEvents, useThrottled } from './data.js';
import { timeMessages as m } from './messages.js';
import type { TimeWindow } from './window.js';

type View = 'compared' | 'since' | 'events';

/** Lists the changes between the two handles, the changes since the selected moment, or every event in the window. */
export const ChangesCard = ({
  at,
  from,
  window,
  openId,
  onOpen,
}: {
  /** The selected moment, in ms since 1970; null for now. */
  readonly at: number | null;
  readonly from: number | null;
  readonly window: TimeWindow;
  /** Id of the event whose details are open. */
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}) => {
  const [chosen, setChosen] = useState<View | null>(null);
  const usual: View = from !== null ? 'compared' : at === null ? 'events' : 'since';
  const view =
    chosen === 'compared' && from === null ? usual : chosen === 'since' && at === null ? usual : (chosen ?? usual);
  const options = [
    ...(from === null
      ? []
      : [{ value: 'compared' as const, label: m.tabCompared(format.time(from), format.time(at ?? window.to)) }]),
    ...(at === null ? [] : [{ value: 'since' as const, label: m.tabSince(format.time(at)) }]),
    { value: 'events' as const, label: m.tabEvents },
  ];
  return (
    <Card
      className="changes-card"
      title={m.changed}
      aside={<Segmented label={m.view} value={view} options={options} onChange={setChosen} />}
    >
      {view === 'events' && <Events window={window} openId={openId} onOpen={onOpen} />}
      {view === 'since' && at !== null && <Differences from={at} to={null} openId={openId} onOpen={onOpen} />}
      {view === 'compared' && from !== null && <Differences from={from} to={at} openId={openId} onOpen={onOpen} />}
    </Card>
  );
};

interface Opening {
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

const Differences = ({ from, to, openId, onOpen }: { readonly from: number; readonly to: number | null } & Opening) => {
  const differences = useDifferences(useThrottled(from), useThrottled(to));
  return (
    <Loaded query={differences}>
      {({ changes, truncated }) => (
        <>
          {changes.length === 0 && <p className="card-body secondary">{m.noChanges}</p>}
          <ul className="change-list">
            {changes
              .toSorted((a, b) => b.at.localeCompare(a.at))
              .map((change) => (
                <ChangeRow
                  key={`${change.aggregate} ${change.id} ${change.path}`}
                  change={change}
                  isOpen={change.event_id === openId}
                  onToggle={() => onOpen(change.event_id === openId ? undefined : change.event_id)}
                />
              ))}
          </ul>
          {truncated && <p className="card-body secondary">{m.truncated}</p>}
        </>
      )}
    </Loaded>
  );
};

const Events = ({ window, openId, onOpen }: { readonly window: TimeWindow } & Opening) => {
  const events = useEvents(window);
  return (
    <Loaded query={events}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        return (
          <>
            {items.length === 0 && <p className="card-body secondary">{m.noEvents}</p>}
            <ul className="change-list">
              {items.map((event) => (
                <EventRow
                  key={event.id}
                  event={event}
                  isOpen={event.id === openId}
                  onToggle={() => onOpen(event.id === openId ? undefined : event.id)}
                />
              ))}
            </ul>
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
