import { NUMBERS_MESSAGES } from './messages.js';
import type { MessageNumbers, NumbersAnswer, StepOutcome } from './publisher.js';

/** Reads a count in a response; null for anything else. */
export const readCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** Returns the answer of a call about several messages that says the same of each. */
export const sameForAll = (messageIds: readonly string[], says: MessageNumbers): NumbersAnswer => ({
  kind: 'answered',
  messages: new Map(messageIds.map((id) => [id, says])),
});

/**
 * Returns what the failure of a call for numbers means. A refusal makes the numbers unavailable, and says nothing about
 * posting (D-71).
 * @param advice what would help, by the gateway's code of the error
 */
export const toNumbersAnswer = (
  outcome: StepOutcome,
  messageIds: readonly string[],
  network: string,
  advice: Readonly<Record<string, string>>,
): NumbersAnswer => {
  switch (outcome.kind) {
    case 'retry':
      return { kind: 'retry', error: outcome.error, afterMs: outcome.afterMs };
    case 'in_doubt':
      return { kind: 'retry', error: outcome.error, afterMs: null };
    case 'failed':
    case 'needs_attention': {
      const { code, category, message } = outcome.error;
      const own = Object.hasOwn(advice, code) ? advice[code] : undefined;
      // What the table says about a single post does not concern its numbers.
      const general =
        category === 'credentials' || category === 'channel' ? message : NUMBERS_MESSAGES.refused({ network });
      return sameForAll(messageIds, { kind: 'unavailable', text: own ?? general });
    }
    case 'moved':
      return sameForAll(messageIds, { kind: 'unavailable', text: NUMBERS_MESSAGES.refused({ network }) });
    case 'done':
      throw new Error(`${network}: a failure that succeeded`);
  }
};
