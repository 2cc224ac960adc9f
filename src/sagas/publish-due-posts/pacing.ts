import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace, PlatformPace } from '../../platforms/publisher.js';

/**
 * Keeps our own pace towards the networks, so that their 429s stay rare: a sliding window for each channel and each
 * credential. Waiting happens before a publication is claimed, so that a wait is never part of an attempt.
 */
export class Pacing {
  private readonly taken = new Map<string, number[]>();

  /** @param enabled setting PACING */
  constructor(private readonly enabled: boolean) {}

  /** Waits for this channel's and this credential's turn, or the signal. @returns whether there was a wait */
  async turn(channelId: string, credentialsId: string, pace: PlatformPace, signal: AbortSignal): Promise<boolean> {
    let waited = false;
    if (!this.enabled) return waited;
    for (const [key, limits] of [
      [`channel/${channelId}`, pace.perChannel],
      [`credential/${credentialsId}`, pace.perCredential],
    ] as const) {
      for (;;) {
        const wait = this.take(key, limits, performance.now());
        if (wait === 0 || signal.aborted) break;
        waited = true;
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    }
    return waited;
  }

  /** Takes a turn and answers 0, or says how many milliseconds to wait. */
  private take(key: string, limits: readonly Pace[], now: number): number {
    const longest = Math.max(0, ...limits.map(({ perMs }) => perMs));
    const recent = (this.taken.get(key) ?? []).filter((at) => at > now - longest);
    let wait = 0;
    for (const { calls, perMs } of limits) {
      const inWindow = recent.filter((at) => at > now - perMs);
      if (inWindow.length >= calls) wait = Math.max(wait, inWindow[inWindow.length - calls]! + perMs - now);
    }
    if (wait === 0) this.taken.set(key, [...recent, now]);
    else this.taken.set(key, recent);
    return Math.ceil(wait);
  }
}
