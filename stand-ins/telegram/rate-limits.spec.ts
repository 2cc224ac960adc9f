import { RateLimits, TELEGRAM_RATE_LIMITS } from './rate-limits.js';

const limits = () => {
  const all = new RateLimits();
  all.settings = TELEGRAM_RATE_LIMITS;
  return all;
};
const T = 1_800_000_000_000;

/** Returns the seconds to wait; 0 if the message was accepted. */
const waitOf = (all: RateLimits, bot: string, chat: string, at: number, messages = 1): number => {
  try {
    all.countMessages(bot, chat, messages, at);
    return 0;
  } catch (error) {
    return (error as { parameters: { retry_after: number } }).parameters.retry_after;
  }
};

describe('RateLimits (networks.md §3)', () => {
  it('allows one message a second to a chat', () => {
    const all = limits();
    expect(waitOf(all, 'a', '1', T)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 999)).toBe(1);
    expect(waitOf(all, 'b', '2', T + 999)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 1_000)).toBe(0);
  });

  it('allows twenty messages a minute to a chat and names the wait to the second', () => {
    const all = limits();
    for (let n = 0; n < 20; n++) expect(waitOf(all, 'a', '1', T + n * 1_000)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 20_000)).toBe(40);
    expect(waitOf(all, 'a', '1', T + 59_999)).toBe(1);
    expect(waitOf(all, 'a', '1', T + 60_000)).toBe(0);
  });

  it('counts the messages of a bot separately from those to a chat (D-41)', () => {
    const all = limits();
    for (let n = 0; n < 30; n++) expect(waitOf(all, 'a', String(n), T)).toBe(0);
    expect(waitOf(all, 'a', '99', T + 500)).toBe(1);
    expect(waitOf(all, 'b', '99', T + 500)).toBe(0);
  });

  it('does not count a rejected message, and counts each item of an album', () => {
    const all = limits();
    expect(waitOf(all, 'a', '1', T, 19)).toBe(0);
    for (let n = 0; n < 50; n++) expect(waitOf(all, 'a', '1', T + 500)).toBe(1);
    expect(waitOf(all, 'a', '1', T + 1_000)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 2_000)).toBe(58);
  });
});
