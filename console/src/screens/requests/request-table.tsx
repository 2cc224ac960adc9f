import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Json } from '../../components/code.js';
import { Icon } from '../../components/icon.js';
import { Empty } from '../../components/states.js';
import { DataTable, RowToggle } from '../../components/table.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { explainRequest, figuresOf, KIND_LOOKS, kindOf, type LoggedRequest } from './explain.js';
import { requestsMessages as m } from './messages.js';
import { reasonMessages as reasons } from './reason-messages.js';

interface RequestDetailsProps {
  readonly request: LoggedRequest;
  readonly endpoint: NamedEndpoint;
}

/** Explains a logged request and what to do about it, and shows the request's JSON from the API. */
export const RequestDetails = ({ request, endpoint }: RequestDetailsProps) => {
  const { title, text, remedies } = explainRequest(request, reasons, format);
  const skew = figuresOf(request).skew_seconds;
  return (
    <div className="request-details">
      <div>
        <b>{title}</b>
        <p className="secondary">{text}</p>
        {request.reason === 'bad_timestamp' && typeof skew === 'number' && <Clock at={request.at} skew={skew} />}
        {remedies.length > 0 && (
          <>
            <h3>{m.fix}</h3>
            <ul className="remedies">
              {remedies.map((remedy) => (
                <li key={remedy.text}>
                  <Icon name="chevronRight" tone="time" />
                  <span>
                    {remedy.text}{' '}
                    {remedy.isInSettings && (
                      <Link className="link" to="/endpoints/$id" params={{ id: endpoint.id }}>
                        <bdi>{m.toSettings(endpoint.name)}</bdi>
                      </Link>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
        {request.decision === 'rejected_auth' && <p className="tertiary">{m.hidden}</p>}
      </div>
      <section aria-label={m.details}>
        <Json value={request} />
      </section>
    </div>
  );
};

/** How far a timestamp may differ from the gateway's clock, in s. */
const TOLERANCE = 300;
const WIDTH = 400;

/** The sender's time, compared with the range of times that the endpoint accepts. */
const Clock = ({ at, skew }: { readonly at: string; readonly skew: number }) => {
  const time = Date.parse(at);
  const reach = Math.max(Math.abs(skew), TOLERANCE) * 1.15;
  const x = (seconds: number): number => ((seconds + reach) / (2 * reach)) * WIDTH;
  return (
    <figure className="request-clock">
      <svg viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="clock-ground" y="3" width={WIDTH} height="14" />
        <rect className="clock-window" x={x(-TOLERANCE)} y="3" width={x(TOLERANCE) - x(-TOLERANCE)} height="14" />
        <rect className="clock-sent" x={Math.min(WIDTH - 3, Math.max(0, x(skew) - 1.5))} width="3" height="20" />
      </svg>
      <figcaption>
        <span>
          {m.sent} <b className="tone-fail">{format.seconds(time + skew * 1000)}</b>
        </span>
        <span className="tone-ok">
          {m.acceptedFrom(format.seconds(time - TOLERANCE * 1000), format.seconds(time + TOLERANCE * 1000))}
        </span>
      </figcaption>
    </figure>
  );
};

/** Id and name of the endpoint whose requests are shown. */
export interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
}

interface RequestTableProps {
  readonly items: readonly LoggedRequest[];
  readonly endpoint: NamedEndpoint;
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  readonly onShowAll: () => void;
}

/** The table of requests. A request can be expanded to show its details below its row. */
export const RequestTable = ({ items, endpoint, openId, onOpen, onShowAll }: RequestTableProps) => {
  const excerpts = useExcerpts(endpoint.id);
  const toggle = ({ id }: LoggedRequest): void => onOpen(id === openId ? undefined : id);
  if (items.length === 0)
    return (
      <Card label={m.nothingFound}>
        <Empty icon="search" title={m.nothingFound} action={<Button onClick={onShowAll}>{m.showAll}</Button>} />
      </Card>
    );
  return (
    <Card label={m.list}>
      <DataTable
        className="request-table"
        items={items}
        keyOf={({ id }) => id}
        rowClass={({ id }) => `selectable ${id === openId ? 'row-open' : ''}`}
        onRow={toggle}
        details={(request) => (request.id === openId ? <RequestDetails request={request} endpoint={endpoint} /> : null)}
        detailsClass={() => 'row-open'}
        columns={[
          { title: m.at, className: 'tertiary', cell: ({ at }) => <Moment at={at} form="seconds" /> },
          {
            title: m.answer,
            cell: (request) => (
              <RowToggle
                look={KIND_LOOKS[kindOf(request)]}
                isOpen={request.id === openId}
                onToggle={() => toggle(request)}
              >
                {m.kinds[kindOf(request)]}
              </RowToggle>
            ),
          },
          { title: m.status, className: 'number request-status', cell: ({ http_status: status }) => status },
          {
            title: m.inWords,
            className: 'secondary cut request-words',
            cell: (request) => <bdi>{explainRequest(request, reasons, format).short}</bdi>,
          },
          {
            title: m.from,
            className: 'secondary cut request-from',
            cell: ({ ip, user_agent: agent }) => <bdi>{agent === null ? ip : `${ip} · ${agent}`}</bdi>,
          },
          {
            title: m.size,
            className: 'number request-size',
            sortBy: ({ payload_bytes: bytes }) => bytes,
            cell: ({ payload_bytes: bytes }) => format.bytes(bytes),
          },
          {
            title: m.took,
            className: 'number request-took',
            sortBy: ({ latency_ms: latency }) => latency,
            cell: ({ latency_ms: latency }) => format.latency(latency),
          },
          {
            title: m.post,
            className: 'right request-post',
            cell: ({ post_id: id }) =>
              id === null ? (
                <span className="tertiary">{m.noPost}</span>
              ) : (
                <Link className="link cut" to="/posts/$id" params={{ id }} onClick={(event) => event.stopPropagation()}>
                  <bdi>{excerpts.get(id) ?? m.viewPost}</bdi>
                </Link>
              ),
          },
        ]}
      />
    </Card>
  );
};

/** Returns excerpts of the endpoint's latest posts, by post id. */
const useExcerpts = (endpointId: string): ReadonlyMap<string, string> => {
  const { data } = useQuery({
    queryKey: ['posts', 'excerpts', endpointId],
    queryFn: () => management().get('/posts', { query: { endpoint_id: endpointId, limit: 100 } }),
  });
  return new Map((data?.items ?? []).map((post) => [post.id, ('excerpt' in post && post.excerpt) || post.id]));
};
