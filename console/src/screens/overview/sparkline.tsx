const HEIGHT = 26;
const STEP = 7;

/** A series of figures as small bars. Screen readers skip the bars, because the sum is next to them. */
export const Sparkline = ({ values }: { readonly values: readonly number[] }) => {
  const most = Math.max(1, ...values);
  const bars = values
    .map((value, index) => `M${index * STEP + 4} ${HEIGHT}v${-Math.max(1, Math.round((value / most) * (HEIGHT - 5)))}`)
    .join('');
  return (
    <svg className="sparkline" viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`} aria-hidden="true">
      <path className="sparkline-ground" d={`M0 ${HEIGHT - 0.5}h${values.length * STEP}`} />
      <path d={bars} />
    </svg>
  );
};
