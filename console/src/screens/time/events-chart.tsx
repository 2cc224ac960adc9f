import { BarChart } from '../../components/bar-chart.js';
import type { Ticks } from './data.js';
import type { TimeWindow } from './window.js';

const HEIGHT = 44;

interface EventsChartProps {
  readonly ticks: Ticks;
  readonly window: TimeWindow;
  /** A bar for each bucket, or bars without gaps. */
  readonly form: 'bars' | 'outline';
}

/** The number of events over time. Times with failed or in-doubt publications have their own colours. */
export const EventsChart = ({ ticks: { from, to, buckets }, window, form }: EventsChartProps) => {
  // Square roots keep quiet times visible next to busy ones.
  const most = Math.sqrt(Math.max(1, ...buckets.map(({ events }) => events)));
  const heights = (of: 'quiet' | 'failed' | 'doubt'): readonly number[] =>
    buckets.map(({ events, failed, in_doubt: inDoubt }) =>
      of === (failed > 0 ? 'failed' : inDoubt > 0 ? 'doubt' : 'quiet') ? (Math.sqrt(events) / most) * (HEIGHT - 2) : 0,
    );
  const length = (Date.parse(to) - Date.parse(from)) / buckets.length;
  return (
    <BarChart
      className={`events-chart ${form}`}
      height={HEIGHT}
      step={1}
      series={(['quiet', 'failed', 'doubt'] as const).map((of) => [of, heights(of)])}
      view={[(window.from - Date.parse(from)) / length, (window.to - window.from) / length]}
    />
  );
};
