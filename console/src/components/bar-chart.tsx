import './bar-chart.css';

interface BarChartProps {
  readonly className: string;
  /** Height of the drawing and the width of a place, in its units. It is stretched to the element's size. */
  readonly height: number;
  readonly step: number;
  /** A class, and the height of its bar at each place, 0 for none; the bars of a place stand on each other. */
  readonly series: readonly (readonly [className: string, heights: readonly number[]])[];
  /** The first place that is shown, and how many; by default, all. */
  readonly view?: readonly [first: number, count: number];
}

/** Bars side by side, for the eye only: screen readers need the figures beside it. */
export const BarChart = ({ className, height, step, series, view }: BarChartProps) => {
  const tops = new Map<number, number>();
  const bar = (length: number, index: number): string => {
    const base = tops.get(index) ?? height;
    tops.set(index, base - length);
    return length === 0 ? '' : `M${(index + 0.5) * step} ${base.toFixed(2)}v${(-length).toFixed(2)}`;
  };
  const [first, count] = view ?? [0, series[0]?.[1].length ?? 0];
  return (
    <svg
      className={`bars ${className}`}
      viewBox={`${first * step} 0 ${count * step} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {series.map(([name, heights]) => (
        <path key={name} className={name} d={heights.map(bar).join('')} />
      ))}
    </svg>
  );
};
