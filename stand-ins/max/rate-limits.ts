import { ApiError } from './api-error.js';

/** Calls per second; null for no limit. */
interface RateLimitSettings {
  /** Messages to one chat. */
  readonly chat_per_second: number | null;
  /** All calls of one bot. */
  readonly bot_per_second: number | null;
}

/** MAX's own limits (networks.md §3). */
export const MAX_RATE_LIMITS: RateLimitSettings = { chat_per_second: 2, bot_per_second: 30 };

/** Rate limits, enforced with 429; off until a control enables them. */
export class RateLimits {
  settings: RateLimitSettings = { chat_per_second: null, bot_per_second: null };
  private readonly recentCalls = new Map<string, number[]>();

  /** @param now in ms @throws ApiError 429 if the limit is reached */
  countCall(kind: keyof RateLimitSettings, name: string, now: number): void {
    const limit = this.settings[kind];
    if (limit === null) return;
    const key = `${kind} ${name}`;
    const recent = (this.recentCalls.get(key) ?? []).filter((at) => at > now - 1_000);
    if (recent.length >= limit) {
      throw new ApiError(429, 'too.many.requests', 'Too many requests', { 'retry-after': '1' });
    }
    this.recentCalls.set(key, [...recent, now]);
  }
}
