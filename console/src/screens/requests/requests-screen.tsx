import './requests.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Api, management } from '../../api/management.js';
import { useEndpoints } from '../../api/things.js';
import { type RequestsSearch } from '../../app/search.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Chip, Select, TextInput } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { Empty, Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { CsvButton, wholeList } from '../../csv/csv-button.js';
import { requestColumns } from '../../csv/lists.js';
import { format } from '../../i18n/format.js';
import { explainRequest, KIND_LOOKS, kindOf, KINDS, type LoggedRequest } from './explain.js';
import { requestsMessages as m } from './messages.js';
import { reasonMessages as reasons } from './reason-messages.js';
import { RequestTable } from './request-table.js';

const HEIGHTS = { accepted: 14, replay: 8, unauthorized: 26, invalid: 26, tooMany: 20, disabled: 20 } as const;
const HEIGHT = 30;
const STEP = 10;
/** Number of slots for bars. With fewer requests, the bars are right-aligned. */
const PLACES = 100;

/** Maximum number of empty slots. With more, the times of the oldest and newest request would overlap on a phone. */
const MOST_EMPTY = 60;

interface RequestStripProps {
  readonly items: readonly LoggedRequest[];
  readonly onChoose: (id: string) => void;
}

/** A bar for each request, newest on the right. Clicking a bar opens the request in the table below. */
export const RequestStrip = ({ items, onChoose }: RequestStripProps) => {
  const oldestFirst = items.toReversed();
  const empty = Math.max(0, PLACES - oldestFirst.length);
  const summary = format.list(
    KINDS.map((kind) => [kind, items.filter((request) => kindOf(request) === kind).length] as const)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${m.kinds[kind]}: ${count}`),
  );
  const choose = (event: { readonly clientX: number; readonly currentTarget: SVGSVGElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * (empty + oldestFirst.length)) - empty;
    const request = oldestFirst[index];
    if (request) onChoose(request.id);
  };
  return (
    <Card title={m.strip(items.length)} aside={m.stripHint} className="request-strip">
      <svg
        viewBox={`0 0 ${(empty + oldestFirst.length) * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
        onClick={choose}
      >
        {oldestFirst.map((request, index) => {
          const kind = kindOf(request);
          return (
            <rect
              key={request.id}
              className={`strip-bar tone-${KIND_LOOKS[kind].tone} strip-${kind}`}
              x={(empty + index) * STEP + 1}
              y={HEIGHT - HEIGHTS[kind]}
              width={STEP - 2}
              height={HEIGHTS[kind]}
            />
          );
        })}
      </svg>
      <div className="strip-ends tertiary">
        {/* Under the oldest request's bar; omitted where it would overlap the newest request's time. */}
        <span style={{ marginLeft: `${empty}%` }}>{empty <= MOST_EMPTY && <Moment at={oldestFirst[0]!.at} />}</span>
        <Moment at={items[0]!.at} />
      </div>
    </Card>
  );
};

/** Number of requests that the gateway keeps for an endpoint. */
const KEPT = 100;

type Endpoint = Api<'Endpoint'>;

/** The last 100 requests to an endpoint. Explains each rejection and how to fix the problem. */
export const RequestsScreen = () => {
  const endpoints = useEndpoints();
  return (
    <Loaded isPage query={endpoints}>
      {(all) =>
        all.length === 0 ? (
          <>
            <PageHead title={m.none} />
            <Card label={m.noEndpoint}>
              <Empty
                icon="endpoint"
                title={m.noEndpoint}
                action={
                  <ButtonLink look="primary" to="/endpoints/new">
                    {m.create}
                  </ButtonLink>
                }
              >
                {m.noEndpointText}
              </Empty>
            </Card>
          </>
        ) : (
          <EndpointRequests endpoints={all} />
        )
      }
    </Loaded>
  );
};

/**
 * Returns the endpoint named in the URL. Falls back to an endpoint that was disabled by limits or by the plan, then to
 * the first in the list.
 */
const chooseEndpoint = (endpoints: readonly Endpoint[], id: string | undefined): Endpoint =>
  endpoints.find((endpoint) => endpoint.id === id) ??
  endpoints.find((endpoint) => endpoint.disabled_by === 'rate_limits' || endpoint.disabled_by === 'plan') ??
  endpoints[0]!;

const nameOf = ({ name, slug }: Endpoint): string => name ?? slug;

const EndpointRequests = ({ endpoints }: { readonly endpoints: readonly Endpoint[] }) => {
  const search = useSearch({ from: '/requests' });
  const navigate = useNavigate({ from: '/requests' });
  const endpoint = chooseEndpoint(endpoints, search.endpoint);
  const requests = useQuery({
    queryKey: ['requests', endpoint.id],
    queryFn: async () =>
      (await management().get('/endpoints/{id}/requests', { path: { id: endpoint.id }, query: { limit: KEPT } })).items,
  });
  const change = (changes: RequestsSearch): void =>
    void navigate({ search: (before: RequestsSearch) => ({ ...before, ...changes }), replace: true });
  const actions = (
    <>
      <Select
        aria-label={m.endpoint}
        value={endpoint.id}
        onChange={(event) => void navigate({ search: { endpoint: event.target.value } })}
      >
        {endpoints.map((each) => (
          <option key={each.id} value={each.id}>
            {nameOf(each)}
          </option>
        ))}
      </Select>
      <CsvButton name="requests" columns={requestColumns()} readPage={wholeList(requests.data ?? [])} />
      <ButtonLink to="/endpoints/$id" params={{ id: endpoint.id }}>
        {m.settings}
      </ButtonLink>
    </>
  );
  return (
    <>
      <RequestsHead requests={requests.data} endpoint={endpoint} actions={actions} />
      <Loaded query={requests} rows={8}>
        {(items) =>
          items.length === 0 ? (
            <Card label={m.noneTitle}>
              <Empty
                icon="requests"
                title={m.noneTitle}
                action={
                  <ButtonLink to="/endpoints/$id" params={{ id: endpoint.id }}>
                    {m.howToSend}
                  </ButtonLink>
                }
              >
                {m.noneText}
              </Empty>
            </Card>
          ) : (
            <Log items={items} endpoint={endpoint} search={search} change={change} />
          )
        }
      </Loaded>
    </>
  );
};

const isRefused = (request: LoggedRequest): boolean => !['accepted', 'replay'].includes(kindOf(request));

interface RequestsHeadProps {
  readonly requests: readonly LoggedRequest[] | undefined;
  readonly endpoint: Endpoint;
  readonly actions: ReactNode;
}

const RequestsHead = ({ requests, endpoint, actions }: RequestsHeadProps) => {
  const all = requests ?? [];
  const refused = all.filter(isRefused);
  const counts = new Map<string, number>();
  for (const request of refused) {
    const { short } = explainRequest(request, reasons, format);
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const title =
    all.length === 0 ? m.none : refused.length === 0 ? m.allFine(all.length) : m.refused(refused.length, all.length);
  const name = nameOf(endpoint);
  return (
    <PageHead title={title} actions={actions}>
      <bdi>{most === undefined ? (all.length > 0 ? m.fineText(name) : '') : m.mostly(name, most)}</bdi>
    </PageHead>
  );
};

const matches = ({ id, trace_id, post_id, ip, user_agent }: LoggedRequest, text: string): boolean =>
  [id, trace_id, post_id, ip, user_agent].some((part) => part?.toLowerCase().includes(text.trim().toLowerCase()));

interface LogProps {
  readonly items: readonly LoggedRequest[];
  readonly endpoint: Endpoint;
  readonly search: RequestsSearch;
  readonly change: (changes: RequestsSearch) => void;
}

const Log = ({ items, endpoint, search, change }: LogProps) => {
  const shown = items
    .filter((request) => search.kind === undefined || kindOf(request) === search.kind)
    .filter((request) => search.find === undefined || matches(request, search.find));
  const count = (kind: string): number => items.filter((request) => kindOf(request) === kind).length;
  return (
    <>
      <RequestStrip items={items} onChoose={(id) => change({ open: id, kind: undefined, find: undefined })} />
      <div className="requests-bar">
        <Chip isOn={search.kind === undefined} onClick={() => change({ kind: undefined })}>
          {m.all(items.length)}
        </Chip>
        {KINDS.filter((kind) => count(kind) > 0).map((kind) => (
          <Chip key={kind} isOn={search.kind === kind} onClick={() => change({ kind })}>
            <Icon {...KIND_LOOKS[kind]} size={14} /> {m.kinds[kind]} {count(kind)}
          </Chip>
        ))}
        <TextInput
          type="search"
          className="requests-find"
          aria-label={m.findLabel}
          placeholder={m.find}
          value={search.find ?? ''}
          onChange={(event) => change({ find: event.target.value || undefined })}
        />
      </div>
      <RequestTable
        items={shown}
        endpoint={{ id: endpoint.id, name: nameOf(endpoint) }}
        openId={search.open}
        onOpen={(open) => change({ open })}
        onShowAll={() => change({ kind: undefined, find: undefined })}
      />
    </>
  );
};
