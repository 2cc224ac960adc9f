import './operator.css';
import './overview.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { management } from '../../api/management.js';
import type { Attention, Check, LongestWait, Network, Overview } from '../../api/overview.js';
import { ButtonLink } from '../../components/button.js';
import { Card, Columns, PageHead } from '../../components/card.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { Empty } from '../../components/states.js';
import { DataTable } from '../../components/table.js';
import { Age } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { setSession, useSession } from '../../session/session.js';
import { AttentionList, putGatewayFirst } from './attention-list.js';
import { HourChart } from './hour-chart.js';
import { attentionMessages } from './messages.js';
import { summarize } from './network-look.js';
import { NetworkTiles } from './network-tiles.js';
import { operatorMessages as m } from './operator-messages.js';

/** The results of the gateway's own checks, in one line. */
export const ChecksStrip = ({ checks }: { readonly checks: readonly Check[] }) => {
  const valueOf = useCheckValue();
  return (
    <ul className="card operator-checks" aria-label={m.checks}>
      {checks.map((check) => (
        <li key={check.name} title={check.message} className={check.name === 'history' ? 'operator-checks-end' : ''}>
          {check.name === 'history' && check.ok ? (
            <Icon name="shield" tone="time" size={14} />
          ) : (
            <Icon name={check.ok ? 'published' : 'failed'} tone={check.ok ? 'ok' : 'fail'} size={14} />
          )}{' '}
          {m.check[check.name] ?? check.name} <b>{valueOf(check)}</b>
        </li>
      ))}
    </ul>
  );
};

/**
 * Returns a function that describes the result of a check: the parts that are behind, the gateway's message if the
 * check failed, or otherwise a figure.
 */
const useCheckValue =
  (): ((check: Check) => string) =>
  ({ name, ok, message, latency_ms: latency, position, degraded }) => {
    if (degraded.length > 0) return m.behind(degraded.join(', '));
    if (!ok) return message;
    if (latency !== null) return format.latency(latency);
    if (position === null) return name === 'read_models' ? m.upToDate : m.up;
    const events = format.number(Number(position));
    return name === 'history' ? m.signed(events) : m.events(events);
  };

/** The owners whose publications have waited longest. Clicking an owner switches the console to that owner. */
export const LongestWaits = ({ longest }: { readonly longest: readonly LongestWait[] }) => {
  const session = useSession();
  return (
    <Card title={m.longest} aside={<Link to="/owners">{m.allOwners}</Link>}>
      {longest.length === 0 ? (
        <Empty icon="published" title={m.empty} />
      ) : (
        <DataTable
          className="longest"
          items={longest}
          keyOf={({ owner_id: id }) => id}
          columns={[
            {
              title: m.owner,
              cell: ({ owner_id: id, owner_name: name }) => (
                <button
                  type="button"
                  className="cut"
                  aria-label={m.show(name)}
                  onClick={() => session && setSession({ ...session, owner: { id, name } })}
                >
                  <bdi>{name}</bdi>
                </button>
              ),
            },
            {
              title: m.because,
              className: 'secondary',
              cell: ({ rule, platform }) => (
                <span className="row">
                  <NetworkMark platform={platform} size={16} />
                  <span className="cut">{m.rule[rule ?? 'none']}</span>
                </span>
              ),
            },
            { title: m.posts, className: 'number', cell: ({ posts }) => format.number(posts) },
            { title: m.oldest, className: 'number', cell: ({ oldest_at: at }) => <Age since={at} /> },
          ]}
        />
      )}
    </Card>
  );
};

/**
 * The operator's overview of all owners: what needs attention, the gateway's checks, the networks, the last hour, and
 * who has waited longest.
 */
export default function OperatorOverview({ overview }: { readonly overview: Overview }) {
  const showSeconds = useSeconds();
  const { waiting, publishedHour, p95Seconds, oldestAt } = summarize(overview);
  const rate = Number((publishedHour / 60).toFixed(publishedHour < 600 ? 1 : 0));
  return (
    <>
      <PageHead
        title={useHeadline(overview.attention)}
        actions={
          <ButtonLink to="/projections" icon="projections">
            {m.projections}
          </ButtonLink>
        }
      >
        {m.rate(rate, format.number(rate, 1))} {p95Seconds !== null && `${m.p95(showSeconds(p95Seconds))} `}
        {oldestAt === null ? (
          m.nothingWaiting
        ) : (
          <>
            {m.waiting(waiting, format.number(waiting))} <Age since={oldestAt} />.
          </>
        )}
      </PageHead>
      <AttentionList overview={overview} />
      {overview.checks && <ChecksStrip checks={overview.checks} />}
      <NetworkTiles overview={overview} footer={(network) => <TileFigures network={network} />} />
      <Columns first="1.62fr" second="1.12fr" isEven>
        <HourChart title={m.perMinute} minutes={overview.minutes} />
        <LongestWaits longest={overview.longest ?? []} />
      </Columns>
    </>
  );
}

/** Returns the heading: whether posts are being published, for how many owners, and the worst problem. */
const useHeadline = (attention: readonly Attention[]): string => {
  const { many } = attentionMessages;
  const owners = useQuery({
    queryKey: ['owners', 'count'],
    queryFn: () => management().get('/owners', { query: { limit: 200 } }),
  }).data;
  if (attention.some(({ code }) => code === 'store_unavailable')) return m.storeUnavailable;
  const count = owners?.items.length ?? 0;
  const shown = `${format.number(count)}${owners?.next ? '+' : ''}`;
  const first = owners ? m.publishingFor(count, shown) : m.publishing;
  const [worst] = putGatewayFirst(attention);
  const text = many[worst?.code as keyof typeof many];
  return `${first} ${worst && text ? text(worst.count, format.number(worst.count)) : m.nothingNeeded}`;
};

/** Returns a function that formats a duration, to a tenth of a second if it is under a minute. */
const useSeconds = (): ((seconds: number) => string) => (seconds) =>
  seconds < 60 ? m.seconds(format.number(seconds, 1)) : format.duration(seconds * 1000);

const TileFigures = ({ network }: { readonly network: Network }) => {
  const showSeconds = useSeconds();
  const { p95_seconds: p95, oldest_at: oldestAt, published_hour: published, refused_hour: refused, waiting } = network;
  return (
    <dl className="tile-figures">
      <dt>{m.tileP95}</dt>
      <dd>{p95 === null ? '–' : showSeconds(p95)}</dd>
      <dt>{m.tileWaiting}</dt>
      <dd>
        {format.number(waiting)}
        {oldestAt !== null && (
          <>
            {' · '}
            <Age since={oldestAt} />
          </>
        )}
      </dd>
      <dt>{m.tileRefused}</dt>
      <dd>{published + refused === 0 ? '–' : format.percent(refused / (published + refused), 1)}</dd>
    </dl>
  );
};
