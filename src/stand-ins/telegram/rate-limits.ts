import { Refusal } from './refusal.js';

/** Messages that may be sent in a stretch of time; null for no limit. */
export interface RateLimitSettings {
  /** Into one chat, in a second. */
  readonly chat_per_second: number | null;
  /** Into one chat, in a minute. */
  readonly chat_per_minute: number | null;
  /** By one bot, in a second, whatever the chats. */
  readonly bot_per_second: number | null;
}

/** Telegram's own pace (networks.md §3). */
export const TELEGRAM_PACE: RateLimitSettings = { chat_per_second: 1, chat_per_minute: 20, bot_per_second: 30 };

/** Flood control: off until it is switched on. A bot's and a chat's budget are separate (D-41). */
export class RateLimits {
  settings: RateLimitSettings = { chat_per_second: null, chat_per_minute: null, bot_per_second: null };
  private readonly sent = new Map<string, number[]>();

  /**
   * Counts `messages` into a chat; a {@link Refusal} 429 with the seconds to wait where a budget is used up, in which
   * case nothing is counted.
   *
   * @param now milliseconds
   */
  take(bot: string, chat: string, messages: number, now: number): void {
    const { chat_per_second, chat_per_minute, bot_per_second } = this.settings;
    const budgets: (readonly [key: string, limit: number | null, windowMs: number])[] = [
      [`chat:${chat}`, chat_per_second, 1_000],
      [`chat:${chat}`, chat_per_minute, 60_000],
      [`bot:${bot}`, bot_per_second, 1_000],
    ];
    const waits = budgets.map(([key, limit, windowMs]) => {
      const recent = (this.sent.get(key) ?? []).filter((at) => at > now - windowMs);
      const oldest = limit === null || recent.length < limit ? undefined : recent[recent.length - limit];
      return oldest === undefined ? 0 : oldest + windowMs - now;
    });
    const wait = Math.max(...waits);
    if (wait > 0) {
      const retry_after = Math.max(1, Math.ceil(wait / 1_000));
      throw new Refusal(429, `Too Many Requests: retry after ${retry_after}`, { retry_after });
    }
    for (const key of new Set(budgets.filter(([, limit]) => limit !== null).map(([name]) => name))) {
      const recent = (this.sent.get(key) ?? []).filter((at) => at > now - 60_000);
      for (let count = 0; count < messages; count++) recent.push(now);
      this.sent.set(key, recent);
    }
  }
}
