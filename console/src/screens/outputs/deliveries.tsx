import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Json } from '../../components/code.js';
import { Segmented } from '../../components/controls.js';
import { useSave } from '../../components/form.js';
import { Empty, Loaded } from '../../components/states.js';
import { DataTable, RowToggle } from '../../components/table.js';
import { Countdown, Moment } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { CsvButton } from '../../csv/csv-button.js';
import { deliveryColumns } from '../../csv/lists.js';
import { format } from '../../i18n/format.js';
import { type Delivery, refreshOutputs, useDeliveries } from './data.js';
import { outputsMessages as m } from './messages.js';

const LOOKS = {
  pending: { name: 'waiting', tone: 'idle' },
  delivered: { name: 'published', tone: 'ok' },
  failed: { name: 'failed', tone: 'fail' },
} as const;

type Filter = Delivery['state'] | 'all';

/** The deliveries of a webhook. Each one expands to show its attempts and its body. */
export const Deliveries = ({ outputId }: { readonly outputId: string }) => {
  const [filter, setFilter] = useState<Filter>('all');
  const deliveries = useDeliveries(outputId, filter === 'all' ? null : filter);
  const filters = ['all', 'pending', 'delivered', 'failed'] as const;
  return (
    <Card
      title={m.deliveries}
      aside={
        <span className="row">
          <CsvButton
            name="deliveries"
            columns={deliveryColumns()}
            readPage={(page) =>
              management().get('/webhook-outputs/{id}/deliveries', {
                path: { id: outputId },
                query: { ...page, ...(filter !== 'all' && { state: filter }) },
              })
            }
          />
          <Segmented
            label={m.state}
            value={filter}
            options={filters.map((value) => ({ value, label: value === 'all' ? m.allStates : m.states[value] }))}
            onChange={setFilter}
          />
        </span>
      }
    >
      <Loaded query={deliveries}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          const before = pages.at(-1)?.archived_before;
          if (items.length === 0)
            return (
              <Empty
                icon="webhook"
                title={filter === 'all' ? m.noDeliveries : m.noneInState}
                action={
                  filter === 'all' ? (
                    <ButtonLink to="/compose">{m.writePost}</ButtonLink>
                  ) : (
                    <Button onClick={() => setFilter('all')}>{m.showAllStates}</Button>
                  )
                }
              >
                {filter === 'all' ? m.noDeliveriesText : undefined}
              </Empty>
            );
          return (
            <>
              <DeliveryTable items={items} />
              {before !== undefined && <p className="card-body tertiary">{m.archived(format.date(before))}</p>}
              {deliveries.hasNextPage && (
                <div className="card-body output-more">
                  <Button busy={deliveries.isFetchingNextPage} onClick={() => void deliveries.fetchNextPage()}>
                    {m.more}
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
};

const DeliveryTable = ({ items }: { readonly items: readonly Delivery[] }) => {
  const [openId, setOpenId] = useState<string | null>(null);
  const toggle = ({ id }: Delivery): void => setOpenId(id === openId ? null : id);
  return (
    <DataTable
      className="stacked delivery-table"
      items={items}
      keyOf={({ id }) => id}
      rowClass={({ id }) => `selectable ${id === openId ? 'row-open' : ''}`}
      onRow={toggle}
      details={(delivery) => (delivery.id === openId ? <DeliveryDetails delivery={delivery} /> : null)}
      detailsClass={() => 'row-open'}
      columns={[
        { title: m.at, className: 'tertiary nowrap', cell: ({ created_at: createdAt }) => <Moment at={createdAt} /> },
        {
          title: m.state,
          cell: (delivery) => (
            <RowToggle look={LOOKS[delivery.state]} isOpen={delivery.id === openId} onToggle={() => toggle(delivery)}>
              {m.states[delivery.state]}
            </RowToggle>
          ),
        },
        { title: m.about, className: 'secondary', cell: ({ kind }) => m.kinds[kind] },
        {
          title: m.answer,
          className: 'secondary',
          cell: ({ attempts }) => (attempts.length > 0 ? (attempts.at(-1)?.status ?? m.noAnswer) : m.noAttempt),
        },
        {
          title: m.took,
          className: 'number',
          cell: ({ attempts }) => attempts.length > 0 && format.latency(attempts.at(-1)?.latency_ms ?? 0),
        },
        {
          title: m.next,
          className: 'right',
          cell: ({ next_attempt_at: next }) => next !== null && <Countdown until={next} />,
        },
      ]}
    />
  );
};

const DeliveryDetails = ({ delivery }: { readonly delivery: Delivery }) => {
  const { id, attempts, body, body_truncated: isTruncated, content_erased: isErased, state } = delivery;
  const { save: sendAgain, isBusy } = useSave(async () => {
    await management().post('/deliveries/{id}/retry', { path: { id } });
    await refreshOutputs();
    toast(m.sentAgain);
  });
  return (
    <div className="delivery-details">
      <div>
        <h3>{m.attempts}</h3>
        <ol className="attempt-list">
          {attempts.map((attempt) => (
            <li key={attempt.at}>
              <Moment at={attempt.at} form="seconds" /> <b>{attempt.status ?? m.noAnswer}</b>{' '}
              <span className="tertiary">{format.latency(attempt.latency_ms)}</span>
              {attempt.answer === null && <span className="secondary">{m.erased}</span>}
              {attempt.answer !== null && attempt.answer !== '' && (
                <bdi className="attempt-answer secondary">{attempt.answer}</bdi>
              )}
            </li>
          ))}
          {attempts.length === 0 && <li className="secondary">{m.noAttempt}</li>}
        </ol>
        {state !== 'delivered' && !isErased && (
          <Button needs="POST /deliveries/{id}/retry" size="small" busy={isBusy} onClick={sendAgain}>
            {m.sendAgain}
          </Button>
        )}
      </div>
      <section aria-label={m.body}>
        <h3>{m.body}</h3>
        {isErased ? (
          <p className="secondary">{m.erased}</p>
        ) : isTruncated ? (
          <LargeBody id={id} />
        ) : (
          <Json value={body} depth={2} />
        )}
      </section>
    </div>
  );
};

/** A body that is too large for the list and is fetched on demand. */
const LargeBody = ({ id }: { readonly id: string }) => {
  const delivery = useQuery({
    queryKey: ['delivery', id],
    queryFn: () => management().get('/deliveries/{id}', { path: { id } }),
  });
  return <Loaded query={delivery}>{({ body }) => <Json value={body} depth={2} />}</Loaded>;
};
