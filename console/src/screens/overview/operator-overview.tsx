import './overview.css';
import { useQuery } from '@tanstack/react-query';
import { management } from '../../api/management.js';
import type { Attention, Network, Overview } from '../../api/overview.js';
import { ButtonLink } from '../../components/button.js';
import { PageHead } from '../../components/card.js';
import { Age } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { AttentionList, putGatewayFirst } from './attention-list.js';
import { attentionMessages } from './attention-messages.js';
import { ChecksStrip } from './checks-strip.js';
import { HourChart } from './hour-chart.js';
import { LongestWaits } from './longest-waits.js';
import { NetworkTiles } from './network-tiles.js';
import { operatorMessages as m } from './operator-messages.js';
import { summarize } from './summary.js';

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
      <div className="overview-columns operator">
        <HourChart title={m.perMinute} minutes={overview.minutes} />
        <LongestWaits longest={overview.longest ?? []} />
      </div>
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
