/**
 * Draws `reports/soak.json`, which the long soak writes (`test/e2e/soak.spec.ts`), as `docs/soak.svg`: latencies,
 * memory, connections and table sizes over the simulated hours.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const { hours, samples } = JSON.parse(readFileSync('reports/soak.json', 'utf8'));
const shown = samples.slice(1, -1);
const seconds = samples.at(-2).at;
const MIB = 1_048_576;

/** Sums the sizes of tables whose names match, in MiB. */
const sizeOf = (sample, pattern) =>
  Object.entries(sample.tables).reduce((sum, [name, bytes]) => sum + (pattern.test(name) ? bytes : 0), 0) / MIB;

/** Rounds up to a number that is easy to read, as is its half. */
const roundUp = (value) => {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 3, 4, 6, 8, 10].find((factor) => value <= factor * unit) * unit;
};

const PANELS = [
  {
    title: 'Latency of a post, ms',
    series: { p50: ({ p50 }) => p50, p99: ({ p99 }) => p99 },
  },
  {
    title: 'Memory, MiB',
    series: { api: ({ memory }) => memory.api / MIB, worker: ({ memory }) => memory.worker / MIB },
  },
  { title: 'Connections', series: { all: ({ connections }) => connections } },
  {
    title: 'Tables, MiB',
    series: {
      'publish schedule': (sample) => sizeOf(sample, /^publish_schedule_v/),
      'request log': (sample) => sizeOf(sample, /^request_log_v/),
      'limits, leases, secrets': (sample) => sizeOf(sample, /\.ops_/),
    },
  },
  {
    title: 'History, MiB per 1,000 posts',
    series: { all: (sample) => (1_000 * sizeOf(sample, /\.event$|^posts_v/)) / Math.max(1, sample.posts) },
  },
];

const [WIDTH, HEIGHT, LEFT, TOP] = [760, 130, 60, 34];
const COLOURS = ['#1f6feb', '#d1570c', '#2da44e'];

const panelSvg = ({ title, series }, index) => {
  const y0 = TOP + index * (HEIGHT + 50);
  const lines = Object.entries(series).map(([name, read]) => [name, shown.map(read)]);
  const top = roundUp(Math.max(...lines.flatMap(([, values]) => values)) || 1);
  const x = (i) => LEFT + (shown[i].at / seconds) * WIDTH;
  const y = (value) => y0 + HEIGHT - (value / top) * HEIGHT;
  const ticks = [0, 0.5, 1].map(
    (part) =>
      `<line x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${y(top * part)}" y2="${y(top * part)}" stroke="#d0d7de"/>` +
      `<text x="${LEFT - 6}" y="${y(top * part) + 4}" text-anchor="end">${top * part}</text>`,
  );
  const paths = lines.map(
    ([name, values], i) =>
      `<polyline fill="none" stroke="${COLOURS[i]}" stroke-width="1.5" points="${values.map((value, j) => `${x(j).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>` +
      `<text x="${LEFT + WIDTH - 150 * (lines.length - i)}" y="${y0 - 8}" fill="${COLOURS[i]}">${name}</text>`,
  );
  return `<text x="${LEFT}" y="${y0 - 8}" font-weight="bold">${title}</text>${ticks.join('')}${paths.join('')}`;
};

const height = TOP + PANELS.length * (HEIGHT + 50) + 10;
const hourMarks = Array.from({ length: 5 }, (_, i) => (i * hours) / 4)
  .map((hour) => `<text x="${LEFT + (hour / hours) * WIDTH}" y="${height - 24}" text-anchor="middle">${hour} h</text>`)
  .join('');
writeFileSync(
  'docs/soak.svg',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 30} ${height}" font-family="sans-serif" font-size="12">` +
    `<rect width="100%" height="100%" fill="white"/>${PANELS.map(panelSvg).join('')}${hourMarks}</svg>\n`,
);
const last = samples.at(-2);
console.log(`${last.posts} posts in ${seconds} s; docs/soak.svg is drawn`);
