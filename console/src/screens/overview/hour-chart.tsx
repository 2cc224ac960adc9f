import './hour-chart.css';
import type { ReactNode } from 'react';
import type { Minute } from '../../api/overview.js';
import { BarChart } from '../../components/bar-chart.js';
import { Card } from '../../components/card.js';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { overviewMessages as m } from './messages.js';
import { chartLines } from './network-look.js';

const SERIES = [
  { name: 'published', icon: 'published', tone: 'ok' },
  { name: 'in_doubt', icon: 'inDoubt', tone: 'doubt' },
  { name: 'failed', icon: 'failed', tone: 'fail' },
] as const;

const HEIGHT = 100;
/** Classes of the bars. */
const BARS = { published: 'published', in_doubt: 'doubt', failed: 'failed' } as const;

interface HourChartProps {
  readonly title: string;
  /** The figures of each bar. All bars cover the same length of time, such as a minute. */
  readonly minutes: readonly Minute[];
  /** Formats the start of a bar. */
  readonly nameOf?: (at: string) => string;
  /** Controls at the top. */
  readonly choice?: ReactNode;
}

/** A bar chart of publications over time, with the same figures in a table for screen readers. */
export const HourChart = ({ title, minutes, nameOf = format.time, choice }: HourChartProps) => {
  const totals = SERIES.map((series) => ({
    ...series,
    total: minutes.reduce((sum, minute) => sum + minute[series.name], 0),
  }));
  return (
    <Card
      title={title}
      className="hour"
      aside={
        <>
          <ul className="hour-legend">
            {totals.map(({ name, icon, tone, total }) => (
              <li key={name}>
                <Icon name={icon} size={12} tone={name === 'failed' && total === 0 ? 'idle' : tone} />
                <b>{format.number(total)}</b> {m.legend[name]}
              </li>
            ))}
          </ul>
          {choice}
        </>
      }
    >
      <Bars minutes={minutes} />
      <div className="hour-axis" aria-hidden="true">
        {minutes
          .filter((_, index) => index % Math.ceil(minutes.length / 4) === 0)
          .map(({ at }) => (
            <span key={at}>{nameOf(at)}</span>
          ))}
        <b className="tone-time">{m.now}</b>
      </div>
      <MinuteTable minutes={minutes} nameOf={nameOf} />
    </Card>
  );
};

const Bars = ({ minutes }: { readonly minutes: readonly Minute[] }) => {
  const lines = chartLines(Math.max(0, ...minutes.map((minute) => minute.published + minute.in_doubt + minute.failed)));
  const top = lines.at(-1) ?? 1;
  const series = SERIES.map(({ name }) => {
    return [BARS[name], minutes.map((minute) => (minute[name] / top) * HEIGHT)] as const;
  });
  return (
    <div className="hour-bars" aria-hidden="true">
      <svg className="hour-lines">
        {lines.map((value) => {
          const y = `${((1 - value / top) * 100).toFixed(2)}%`;
          return (
            <g key={value}>
              <line x1="30" x2="100%" y1={y} y2={y} />
              <text x="22" y={y} dy="4" textAnchor="end">
                {format.number(value)}
              </text>
            </g>
          );
        })}
      </svg>
      <BarChart className="hour-values" height={HEIGHT} step={10} series={series} />
    </div>
  );
};

const MinuteTable = ({ minutes, nameOf }: Required<Pick<HourChartProps, 'minutes' | 'nameOf'>>) => {
  const busy = minutes.filter((minute) => SERIES.some(({ name }) => minute[name] > 0));
  if (busy.length === 0) return <p className="visually-hidden">{m.noPublications}</p>;
  return (
    <div className="visually-hidden">
      <table>
        <caption>{m.minutes}</caption>
        <thead>
          <tr>
            <th scope="col">{m.minute}</th>
            {SERIES.map(({ name }) => (
              <th key={name} scope="col">
                {m.legend[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.map((minute) => (
            <tr key={minute.at}>
              <th scope="row">{nameOf(minute.at)}</th>
              {SERIES.map(({ name }) => (
                <td key={name}>{format.number(minute[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
