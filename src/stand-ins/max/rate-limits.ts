import { Refusal } from './refusal.js';

/** Calls that may be made in a second; null for no limit. */
export interface RateLimitSettings {
  /** Messages into one chat. */
  readonly chat_per_second: number | null;
  /** Any calls of one bot. */
  readonly bot_per_second: number | null;
}

/** MAX's own figures (networks.md §3). */
export const MAX_PACE: RateLimitSettings = { chat_per_second: 2, bot_per_second: 30 };

/** 429 where a bot goes too fast: off until it is switched on. */
export class RateLimits {
  settings: RateLimitSettings = { chat_per_second: null, bot_per_second: null };
  private readonly taken = new Map<string, number[]>();

  /** Counts a call under a name, or refuses it. @param now milliseconds */
  take(kind: keyof RateLimitSettings, name: string, now: number): void {
    const limit = this.settings[kind];
    if (limit === null) return;
    const key = `${kind} ${name}`;
    const recent = (this.taken.get(key) ?? []).filter((at) => at > now - 1_000);
    if (recent.length >= limit) {
      throw new Refusal(429, 'too.many.requests', 'Too many requests', { 'retry-after': '1' });
    }
    this.taken.set(key, [...recent, now]);
  }
}
