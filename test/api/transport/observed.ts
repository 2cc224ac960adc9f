import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../../support/gateway.js';

const MIB = 1_048_576;
const PROBE_EVERY_MS = 10;

/** How a gateway fared meanwhile. */
export interface Observation {
  /** Resident memory of its process, MiB. */
  readonly memoryMiB: number;
}

/**
 * Does something hostile while a bystander asks for /healthz all the time, which must be answered 200 each time; how
 * long that took at most, and the event loop's own longest lag, are shown, not asserted: they are the machine's as much
 * as the gateway's.
 */
export const observed = async (
  what: string,
  { url, program }: Gateway,
  work: () => Promise<void>,
): Promise<Observation> => {
  await lagOf(url); // each reading begins anew
  let over = false;
  let longest = 0;
  const bystander = async (): Promise<void> => {
    while (!over) {
      const askedAt = performance.now();
      const { status } = await fetch(`${url}/healthz`);
      longest = Math.max(longest, performance.now() - askedAt);
      expect(status).toBe(200);
      await sleep(PROBE_EVERY_MS);
    }
  };
  const watching = bystander();
  try {
    await work();
  } finally {
    over = true;
    await watching;
  }
  const memoryMiB = memoryOf(program.pid);
  const figures = [`event loop lag ${await lagOf(url)} ms`, `/healthz ${longest.toFixed(0)} ms`];
  process.stderr.write(`  ${what}: at most ${figures.join(', ')}; ${memoryMiB.toFixed(0)} MiB\n`);
  return { memoryMiB };
};

/** Resident memory of a process, MiB. */
export const memoryOf = (pid: number): number => {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1_024) / MIB;
};

/** The event loop's longest lag since the last reading, ms. */
const lagOf = async (url: string): Promise<string> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1];
  expect(Number(seconds)).toBeGreaterThanOrEqual(0);
  return (Number(seconds) * 1_000).toFixed(0);
};
