import type { Agent } from 'undici';
import { createConnections } from './exchange.js';
import { NUMBERS_MESSAGES, TEST_MESSAGES } from './messages.js';
import type {
  ChannelCheck,
  FoundChat,
  MessageNumbers,
  NumbersAnswer,
  PublisherOptions,
  PublishError,
  StepOutcome,
  TestContext,
} from './publisher.js';

/** The network's response to one request of a channel test, or the error. */
export type TestAnswer<Value = Readonly<Record<string, unknown>>> =
  { readonly kind: 'answered'; readonly value: Value } | { readonly kind: 'refused'; readonly error: PublishError };

/** Converts the outcome of a failed call to a {@link TestAnswer}. @param title the network's display name */
export const refused = (outcome: StepOutcome, title: string): Extract<TestAnswer, { kind: 'refused' }> => {
  if (!('error' in outcome)) throw new Error(`${title}: a failure without an error`);
  return { kind: 'refused', error: outcome.error };
};

export const passed = (name: string, message: string): ChannelCheck => ({
  name,
  ok: true,
  message,
  platform_says: null,
});

/** Returns a failed check. @param says the network's own message */
export const failed = (name: string, message: string, says?: string): ChannelCheck => ({
  name,
  ok: false,
  message,
  platform_says: says ?? null,
});

/**
 * Returns a failed check for a request that the network refused or did not respond to. An error that is about a single
 * post is replaced by a general message, because it says nothing about the channel.
 * @param title the network's display name
 */
export const unanswered = (
  name: string,
  title: string,
  { category, message, platform_says }: PublishError,
  { signal }: Pick<TestContext, 'signal'>,
): ChannelCheck => {
  if (signal.aborted) return failed(name, TEST_MESSAGES.notInTime({ network: title }));
  const isAboutPost = category === 'payload' || category === 'media';
  const text = isAboutPost ? TEST_MESSAGES.questionRefused({ network: title }) : message;
  return failed(name, text, platform_says);
};

/** Returns the chat with a public name from the network's response. @param readId returns '' if there is no such chat */
export const foundChat = <Value>(
  answer: TestAnswer<Value>,
  title: string,
  { signal }: Pick<TestContext, 'signal'>,
  readId: (value: Value) => string,
): FoundChat => {
  if (signal.aborted) return { error: { message: TEST_MESSAGES.notInTime({ network: title }) } };
  if (answer.kind === 'refused') {
    const { category, platform_says } = answer.error;
    const isAboutName = category === 'channel' || category === 'payload' || category === 'media';
    const unknown = {
      message: TEST_MESSAGES.noSuchName({ network: title }),
      ...(platform_says !== undefined && { platform_says }),
    };
    return { error: isAboutName ? unknown : answer.error };
  }
  const id = readId(answer.value);
  return id === '' ? { error: { message: TEST_MESSAGES.noSuchName({ network: title }) } } : { id };
};

/** Reads a string or number in a response as text; returns an empty string for anything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Connections to one network, and the location and time limits of its API. */
export interface NetworkConnection extends Required<PublisherOptions> {
  readonly connections: Agent;
}

/** Creates the connections to a network's API. Removes trailing slashes from its URL. */
export const connectTo = ({
  apiUrl,
  timeoutMs = 30_000,
  uploadTimeoutMs = 15 * 60_000,
  extraCertificates = [],
  countUnknown = () => undefined,
}: PublisherOptions): NetworkConnection => ({
  apiUrl: apiUrl.replace(/\/+$/, ''),
  connections: createConnections(extraCertificates),
  timeoutMs,
  uploadTimeoutMs,
  extraCertificates,
  countUnknown,
});

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
