import './statistics.css';
import type { Api } from '../api/management.js';
import { BarChart } from '../components/bar-chart.js';
import { format } from '../i18n/format.js';
import { statisticsMessages as m } from './messages.js';

/** The numbers that networks tell; null for one that is not known. */
export type Numbers = Pick<Api<'Statistics'>, 'views' | 'reactions' | 'comments' | 'shares'>;
export type NumberName = keyof Numbers;

export const NUMBER_NAMES: readonly NumberName[] = ['views', 'reactions', 'comments', 'shares'];

/** Returns the names of the numbers that are known in any of these. */
export const listKnown = (all: readonly Numbers[]): readonly NumberName[] =>
  NUMBER_NAMES.filter((name) => all.some((numbers) => numbers[name] !== null));

/** Figures side by side. A number that is not known is named as such, unless `isKnownOnly` leaves it out. */
export const Figures = ({
  numbers,
  isKnownOnly = false,
}: {
  readonly numbers: Numbers;
  readonly isKnownOnly?: boolean;
}) => (
  <dl className="figures">
    {(isKnownOnly ? listKnown([numbers]) : NUMBER_NAMES).map((name) => {
      const value = numbers[name];
      return (
        <div key={name}>
          <dt>{m.names[name]}</dt>
          <dd className={value === null ? 'tertiary' : ''}>{value === null ? m.notGiven : format.number(value)}</dd>
        </div>
      );
    })}
  </dl>
);

interface NumbersChartProps {
  readonly title: string;
  /** Time, and the value to draw; null values are left out, not drawn as zero. */
  readonly points: readonly (readonly [label: string, value: number | null])[];
  readonly valueName: string;
  /** Highest value of the scale; by default, that of the points. */
  readonly top?: number;
}

const HEIGHT = 100;

/** Bars in the order of time, with the same figures in a table for screen readers. */
export const NumbersChart = ({ title, points, valueName, top }: NumbersChartProps) => {
  const highest = Math.max(1, top ?? 0, ...points.map(([, value]) => value ?? 0));
  const heights = points.map(([, value]) => ((value ?? 0) / highest) * HEIGHT);
  return (
    <figure className="numbers-chart">
      <figcaption className="tertiary">{title}</figcaption>
      <div className="numbers-bars" aria-hidden="true">
        <BarChart className="numbers-values" height={HEIGHT} step={10} series={[['numbers-bar', heights]]} />
      </div>
      <div className="numbers-axis tertiary" aria-hidden="true">
        <span>{points[0]?.[0]}</span>
        <span>{points.at(-1)?.[0]}</span>
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{m.at}</th>
              <th scope="col">{valueName}</th>
            </tr>
          </thead>
          <tbody>
            {points.map(([label, value], index) => (
              <tr key={index}>
                <th scope="row">{label}</th>
                <td>{value === null ? m.notGiven : format.number(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
};
