import type { Instant } from '../kernel/clock.js';
import type { MessageNumbers, Numbers } from '../platforms/publisher.js';

/** Minutes after the publication at which its numbers are read: 5 minutes to 30 days. */
export const SAMPLE_MINUTES: readonly number[] = [
  ...[5, 15, 30],
  ...[1, 2, 4, 8, 12, 24].map((hours) => hours * 60),
  ...[2, 3, 5, 7, 14, 30].map((days) => days * 1_440),
];

/** Webhook outputs are notified of a post's numbers at most this often, in minutes. */
export const NEWS_MINUTES = 60;

/** Returns the next sample's time; null if there is none. Times that have passed are not made up. */
export const nextSampleAt = (publishedAt: Instant, now: Instant, minuteMs: number): Instant | null => {
  const minutes = SAMPLE_MINUTES.find((each) => publishedAt + each * minuteMs > now);
  return minutes === undefined ? null : publishedAt + minutes * minuteMs;
};

export const NO_NUMBERS: Numbers = { views: null, reactions: null, comments: null, shares: null };
const NAMES = ['views', 'reactions', 'comments', 'shares'] as const;

/** Adds up numbers; a sum is null if all its parts are. */
export const sumNumbers = (all: readonly Numbers[]): Numbers =>
  fold(all, (known) => known.reduce((sum, each) => sum + each, 0));

/**
 * Returns the numbers of a publication from those of its messages. The same reader passes all messages of a post, so
 * its views are those of the message with the most; each reaction, comment and share is one of its own, so they add up.
 */
const combineNumbers = (all: readonly Numbers[]): Numbers => ({
  ...sumNumbers(all),
  views: fold(all, (known) => Math.max(...known)).views,
});

const fold = (all: readonly Numbers[], combine: (known: readonly number[]) => number): Numbers =>
  Object.fromEntries(
    NAMES.map((name) => {
      const known = all.map((each) => each[name]).filter((each) => each !== null);
      return [name, known.length === 0 ? null : combine(known)];
    }),
  ) as unknown as Numbers;

/** Returns what the network says about a publication, from what it says about each message; null if one is missing. */
export const combineMessages = (
  messageIds: readonly string[],
  messages: ReadonlyMap<string, MessageNumbers>,
): MessageNumbers | null => {
  const all = messageIds.map((id) => messages.get(id)).filter((each) => each !== undefined);
  if (all.length < messageIds.length) return null;
  const counted = all.filter((each) => each.kind === 'counted');
  if (counted.length > 0) return { kind: 'counted', numbers: combineNumbers(counted.map(({ numbers }) => numbers)) };
  return all.find((each) => each.kind === 'unavailable') ?? { kind: 'gone' };
};

/** True if any number differs. */
export const haveChanged = (before: Numbers, after: Numbers): boolean =>
  NAMES.some((name) => before[name] !== after[name]);
