import { RateLimits, TELEGRAM_PACE } from './rate-limits.js';

const limits = () => {
  const all = new RateLimits();
  all.settings = TELEGRAM_PACE;
  return all;
};
const T = 1_800_000_000_000;

/** The seconds to wait; 0 where the message was taken. */
const waitOf = (all: RateLimits, bot: string, chat: string, at: number, messages = 1): number => {
  try {
    all.take(bot, chat, messages, at);
    return 0;
  } catch (refusal) {
    return (refusal as { parameters: { retry_after: number } }).parameters.retry_after;
  }
};

describe('RateLimits (networks.md §3)', () => {
  it('lets one message a second into a chat', () => {
    const all = limits();
    expect(waitOf(all, 'a', '1', T)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 999)).toBe(1);
    expect(waitOf(all, 'b', '2', T + 999)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 1_000)).toBe(0);
  });

  it('lets twenty a minute into a chat, and says to the second when the next may go', () => {
    const all = limits();
    for (let n = 0; n < 20; n++) expect(waitOf(all, 'a', '1', T + n * 1_000)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 20_000)).toBe(40);
    expect(waitOf(all, 'a', '1', T + 59_999)).toBe(1);
    expect(waitOf(all, 'a', '1', T + 60_000)).toBe(0);
  });

  it("counts a bot's messages apart from the chats' (D-41)", () => {
    const all = limits();
    for (let n = 0; n < 30; n++) expect(waitOf(all, 'a', String(n), T)).toBe(0);
    expect(waitOf(all, 'a', '99', T + 500)).toBe(1);
    expect(waitOf(all, 'b', '99', T + 500)).toBe(0);
  });

  it('counts nothing for a refusal, and an album by its items', () => {
    const all = limits();
    expect(waitOf(all, 'a', '1', T, 19)).toBe(0);
    for (let n = 0; n < 50; n++) expect(waitOf(all, 'a', '1', T + 500)).toBe(1);
    expect(waitOf(all, 'a', '1', T + 1_000)).toBe(0);
    expect(waitOf(all, 'a', '1', T + 2_000)).toBe(58);
  });
});
