import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { METRICS_PAGE_KEPT_MS } from '../../../src/health/metrics.js';
import type { Gateway } from '../../support/gateway-process.js';

const MIB = 1_048_576;
const PROBE_EVERY_MS = 10;

/** Measurements of a gateway during some work. */
export interface Observation {
  /** Resident memory of its process, in MiB. */
  readonly memoryMiB: number;
}

/**
 * Does hostile work while a probe keeps requesting /healthz, which must always answer 200. Prints the longest answer
 * time and the event loop's longest lag. Does not assert them, because they depend on the machine as much as on the
 * gateway.
 */
export const observeGateway = async (
  what: string,
  { url, program }: Gateway,
  work: () => Promise<void>,
): Promise<Observation> => {
  await readLagMs(url); // each reading resets the maximum
  let isOver = false;
  let longest = 0;
  const probe = async (): Promise<void> => {
    while (!isOver) {
      const sentAt = performance.now();
      const { status } = await fetch(`${url}/healthz`);
      longest = Math.max(longest, performance.now() - sentAt);
      expect(status).toBe(200);
      await sleep(PROBE_EVERY_MS);
    }
  };
  const probing = probe();
  try {
    await work();
  } finally {
    isOver = true;
    await probing;
  }
  const memoryMiB = measureMemoryMiB(program.pid);
  const figures = [`event loop lag ${await readLagMs(url)} ms`, `/healthz ${longest.toFixed(0)} ms`];
  process.stderr.write(`  ${what}: at most ${figures.join(', ')}; ${memoryMiB.toFixed(0)} MiB\n`);
  return { memoryMiB };
};

/** Returns the resident memory of a process, in MiB. */
export const measureMemoryMiB = (pid: number): number => {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1_024) / MIB;
};

/** Reads the event loop's longest lag since the last reading, in ms. First waits until a cached page has expired. */
const readLagMs = async (url: string): Promise<string> => {
  await sleep(METRICS_PAGE_KEPT_MS);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1];
  expect(Number(seconds)).toBeGreaterThanOrEqual(0);
  return (Number(seconds) * 1_000).toFixed(0);
};
