import './network-tiles.css';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Network, Overview } from '../../api/overview.js';
import { BarChart } from '../../components/bar-chart.js';
import { NetworkMark, networkTitle, Pill } from '../../components/icon.js';
import { Age, Countdown, Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { overviewMessages as m } from './messages.js';
import { lookAt } from './network-look.js';

const HEIGHT = 26;

/** A series of figures as small bars. Screen readers skip the bars, because the sum is next to them. */
export const Sparkline = ({ values }: { readonly values: readonly number[] }) => {
  const most = Math.max(1, ...values);
  const heights = values.map((value) => Math.max(1, Math.round((value / most) * (HEIGHT - 5))));
  return <BarChart className="sparkline" height={HEIGHT} step={7} series={[['', heights]]} />;
};

/** Number of publications per hour at which the tile switches to showing the rate per minute. */
const BUSY_HOUR = 600;

interface NetworkTilesProps {
  readonly overview: Overview;
  /** Renders the lower part of a tile; by default, it shows what is waiting. */
  readonly footer?: (network: Network) => ReactNode;
}

/** A tile for each network: its state, what it published, and what is waiting. */
export const NetworkTiles = ({ overview: { networks, waiting }, footer }: NetworkTilesProps) => (
  <section className="tiles" aria-label={m.networks}>
    {networks.map((network) => {
      const { platform, published_hour: hour } = network;
      const { icon, tone, word } = lookAt(network, waiting);
      const isBusy = hour >= BUSY_HOUR;
      return (
        <Link key={platform} className="card tile" to="/timeline" search={{ platform }}>
          <h2>
            <NetworkMark platform={platform} label={false} />
            <span className="cut">{networkTitle(platform)}</span>
            <Pill icon={icon} tone={tone}>
              {word(m, format.number(network.in_doubt))}
            </Pill>
          </h2>
          <div className="tile-figure">
            <b>{format.number(isBusy ? hour / 60 : hour, 0)}</b>
            <span className="tertiary">{isBusy ? m.perMinute : m.inHour}</span>
            <Sparkline values={network.minutes} />
          </div>
          {footer ? footer(network) : <TileWaiting network={network} waiting={waiting} />}
        </Link>
      );
    })}
  </section>
);

const TileWaiting = ({ network, waiting }: { readonly network: Network; readonly waiting: Overview['waiting'] }) => {
  const { pause, needsPerson } = lookAt(network, waiting);
  const { next_at: nextAt, oldest_at: oldestAt, last_published_at: lastAt } = network;
  if (network.waiting === 0)
    return (
      <p className="tile-waiting">
        <span className="cut">
          {m.nothing}
          {lastAt !== null && (
            <>
              {' · '}
              {m.lastAt} <Moment at={lastAt} />
            </>
          )}
        </span>
      </p>
    );
  const [detail, time] = pause
    ? [
        <>
          <bdi>{pause.channel}</bdi> {m.pausedUntil}
        </>,
        <Countdown until={pause.until} />,
      ]
    : nextAt !== null && !needsPerson
      ? [m.next, <Countdown until={nextAt} />]
      : [m.oldest, oldestAt !== null && <Age since={oldestAt} />];
  return (
    <p className="tile-waiting">
      <span className="cut">
        {m.waiting(network.waiting, format.number(network.waiting))} · {detail}
      </span>
      {time}
    </p>
  );
};
