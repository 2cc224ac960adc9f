import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useTheme } from '../../app/theme.js';
import type { Ticks } from './data.js';
import type { TimeWindow } from './window.js';

/** Chart style: a bar for each bucket, or a single outline. */
type Form = 'bars' | 'outline';

/** Chart heights, in pixels. */
const HEIGHTS = { bars: 44, outline: 22 } as const;

interface EventsChartProps {
  readonly ticks: Ticks;
  readonly window: TimeWindow;
  readonly form: Form;
}

/**
 * The number of events over time. Bars that include failed or in-doubt publications have their own colours. Does not
 * draw axes or handles.
 */
export const EventsChart = ({ ticks, window, form }: EventsChartProps) => {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const theme = useTheme();
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const create = (): void => {
      chart.current?.destroy();
      chart.current = new uPlot(optionsOf(element, form), [[], [], [], []], element);
    };
    create();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', create);
    const observer = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: HEIGHTS[form] }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', create);
      chart.current?.destroy();
      chart.current = null;
    };
  }, [form, theme]);
  useEffect(() => {
    chart.current?.setData(dataOf(ticks), false);
    chart.current?.setScale('x', { min: window.from / 1000, max: window.to / 1000 });
  }, [ticks, window, form, theme]);
  return <div className={`events-chart ${form}`} ref={host} aria-hidden="true" />;
};

const optionsOf = (element: HTMLElement, form: Form): uPlot.Options => {
  const style = getComputedStyle(element);
  const colour = (name: string): string => resolveColour(element, style.getPropertyValue(name));
  const bars = uPlot.paths.bars?.({ size: [0.75, 12], align: 1 });
  const series = (name: string): uPlot.Series => ({
    ...(form === 'bars' && bars && { paths: bars }),
    fill: colour(name),
    width: 0,
    points: { show: false },
  });
  return {
    width: element.clientWidth,
    height: HEIGHTS[form],
    padding: [2, 0, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { time: true },
      // Values are square roots of counts, so that quiet times stay visible next to busy ones.
      y: { range: (_, __, most) => [0, Math.max(1, most ?? 1)] },
    },
    series: [{}, series('--bar-2'), series('--doubt'), series('--fail')],
  };
};

const dataOf = ({ buckets }: Ticks): uPlot.AlignedData => {
  const height = (count: number): number => Math.sqrt(count);
  return [
    buckets.map(({ at }) => Date.parse(at) / 1000),
    buckets.map(({ events }) => height(events)),
    buckets.map(({ events, in_doubt: inDoubt }) => (inDoubt > 0 ? height(events) : 0)),
    buckets.map(({ events, failed }) => (failed > 0 ? height(events) : 0)),
  ];
};

/** Lets the browser compute a colour, because a canvas does not support light-dark(). */
const resolveColour = (element: HTMLElement, value: string): string => {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};
