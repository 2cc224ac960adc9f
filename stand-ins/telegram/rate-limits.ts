import { ApiError } from './parameters.js';

/** Messages per period; null for no limit. */
interface RateLimitSettings {
  /** Messages to one chat per second. */
  readonly chat_per_second: number | null;
  /** Messages to one chat per minute. */
  readonly chat_per_minute: number | null;
  /** Messages from one bot per second, to all chats. */
  readonly bot_per_second: number | null;
}

/** Telegram's own limits (networks.md §3). */
export const TELEGRAM_RATE_LIMITS: RateLimitSettings = { chat_per_second: 1, chat_per_minute: 20, bot_per_second: 30 };

type Budget = readonly [key: string, limit: number | null, windowMs: number];

/** Flood control; off until a control enables it. Budgets of bots and chats are separate (D-41). */
export class RateLimits {
  settings: RateLimitSettings = { chat_per_second: null, chat_per_minute: null, bot_per_second: null };
  private readonly sent = new Map<string, number[]>();

  /**
   * Counts `messages` to a chat, unless a budget is used up.
   * @param now in ms
   * @throws ApiError 429 with the seconds to wait if a budget is used up
   */
  countMessages(bot: string, chat: string, messages: number, now: number): void {
    const { chat_per_second, chat_per_minute, bot_per_second } = this.settings;
    this.count(messages, now, [
      [`chat:${chat}`, chat_per_second, 1_000],
      [`chat:${chat}`, chat_per_minute, 60_000],
      [`bot:${bot}`, bot_per_second, 1_000],
    ]);
  }

  /** Counts a call that sends nothing. @throws ApiError 429 as for messages */
  countCall(bot: string, now: number): void {
    this.count(1, now, [[`bot:${bot}`, this.settings.bot_per_second, 1_000]]);
  }

  private count(messages: number, now: number, budgets: readonly Budget[]): void {
    const waits = budgets.map(([key, limit, windowMs]) => {
      const recent = (this.sent.get(key) ?? []).filter((at) => at > now - windowMs);
      const oldest = limit === null || recent.length < limit ? undefined : recent[recent.length - limit];
      return oldest === undefined ? 0 : oldest + windowMs - now;
    });
    const wait = Math.max(...waits);
    if (wait > 0) {
      const retry_after = Math.max(1, Math.ceil(wait / 1_000));
      throw new ApiError(429, `Too Many Requests: retry after ${retry_after}`, { retry_after });
    }
    for (const key of new Set(budgets.filter(([, limit]) => limit !== null).map(([name]) => name))) {
      const recent = (this.sent.get(key) ?? []).filter((at) => at > now - 60_000);
      for (let count = 0; count < messages; count++) recent.push(now);
      this.sent.set(key, recent);
    }
  }
}
