// More than 20 s: each bench starts a gateway and its servers, and warms them up.
import { execFile } from 'node:child_process';
import { sampleOf } from '../support/sample.js';
import { Random } from './random.js';

/**
 * Smallest sizes of each bench, with which it runs for seconds and its figures mean nothing. Others need more
 * (docs/benchmarks.md).
 */
const SMALL = {
  deliver: ['--outputs=2', '--each=2', '--seconds=0.3', '--steady=1', '--lead=3', '--slow=1'],
  growth: ['--posts=20', '--channels=2'],
  latency: ['--seconds=0.5', '--rate=20', '--channels=4'],
  publish: ['--posts=40', '--seconds=0.2', '--channels=4'],
  rebuild: ['--events=60', '--rate=5', '--channels=2', '--idle=0.3', '--only=audit'],
  refuse: ['--seconds=0.3', '--rate=20', '--connections=2'],
  snapshot: ['--posts=20', '--soak=20', '--channels=4'],
  'unauthorized-timing': ['--n=20', '--connections=2'],
};
/** They start more gateways: some 15 s of CPU each. */
const LONGER = {
  accept: ['--seconds=0.3', '--warm-up=0.2', '--endpoints=2', '--connections=2'],
  backlog: ['--few=10', '--many=40', '--warm-up=10', '--seconds=0.5', '--channels=10'],
  'backlog --sampled=40': ['--warm-up=10', '--seconds=0.5', '--channels=10'],
  history: ['--events=300,600', '--questions=1', '--channels=4', '--pauses=4'],
  neighbours: ['--seconds=1', '--rate=10', '--channels=4'],
  'neighbours --attack=planned,webhooks': ['--seconds=1', '--planned-channels=4', '--planned-posts=5'],
  'neighbours --flood=posts,refusals': ['--seconds=1', '--rate=10'],
  planned: [
    ...['--planned=40', '--few=10', '--warm-up=10', '--seconds=0.5', '--channels=10', '--connections=2'],
    ...['--release-rate=20', '--release-seconds=1'],
  ],
  overview: ['--publications=100,200', '--requests=2', '--channels=4'],
  release: ['--posts=200', '--lead=8', '--seconds=6', '--channels=10'],
  search: ['--posts=2000', '--requests=2'],
  storm: ['--seconds=1', '--rate=20', '--channels=1'],
  workers: ['--posts=10', '--workers=2'],
};
/** `console` needs Chromium, and test/console drives the same pages. `stores` needs an empty KurrentDB. */
const NOT_RUN = ['console', 'stores'];

const RATIO = /\d\.\d+ ×/;

const runBench = (...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--enable-source-maps', 'bench/run.js', ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });

const random = new Random();

it.each(
  process.env.TEST_LONG ? Object.entries({ ...SMALL, ...LONGER }) : sampleOf(Object.entries(SMALL), 3 / 8, random),
)(`the bench %s runs to its end and prints its ratios (choice by seed ${random.seed})`, async (name, sizes) => {
  const { code, stdout, stderr } = await runBench(...name.split(' '), '--rounds=1', '--wal-segments=2', ...sizes);
  // This bench exits with 1 if a significance test finds a difference, which with so few requests can be chance.
  const codes = name === 'unauthorized-timing' ? [0, 1] : [0];
  if (!codes.includes(code)) throw new Error(`it exited with ${code}: ${stderr}`);
  expect(stdout).toMatch(name === 'unauthorized-timing' ? /^\d+ of 10 pairs are distinguishable/m : RATIO);
});

it('names every bench', async () => {
  const { code, stderr } = await runBench();
  expect(code).toBe(2);
  const names = /<(.*)>/.exec(stderr)![1]!.split(' | ');
  const run = [...Object.keys(SMALL), ...Object.keys(LONGER), ...NOT_RUN].map((name) => name.split(' ')[0]!);
  expect([...new Set(run)].sort()).toEqual(names.sort());
});
