import type { SendContext, Step, StepOutcome } from '../publisher.js';
import { resolveReferences } from '../references.js';
import { callMax, isToken, type MaxConnection } from './call.js';
import { classify } from './classify.js';
import { MAX_MESSAGES } from './messages.js';
import { uploadMedium } from './upload.js';

/** Runs one step and returns its outcome; never throws. */
export const sendStep = async (connection: MaxConnection, step: Step, context: SendContext): Promise<StepOutcome> => {
  const token = context.credentials['access_token'] ?? '';
  if (!isToken(token)) return malformedToken;
  return step.visible ? postMessage(connection, step, token, context) : uploadMedium(connection, step, token, context);
};

const postMessage = async (
  connection: MaxConnection,
  step: Step,
  token: string,
  { channel, results, waits, signal }: SendContext,
): Promise<StepOutcome> => {
  // Uses the channel's current address, not the address in the rendering.
  const { chat_id: _, ...body } = resolveReferences(step.request, results);
  const query = { chat_id: channel.address['chat_id'] ?? '' };
  const answer = await callMax(connection, { method: 'POST', path: '/messages', query, body, token, signal });
  const circumstances = { visible: true, waits };
  if (answer.kind !== 'answered') return classify(answer, circumstances);
  const { message } = answer.body as { readonly message?: unknown };
  return (
    toDoneOutcome(message) ??
    classify({ kind: 'unreadable', status: answer.status, retryAfter: undefined }, circumstances)
  );
};

/**
 * Returns the outcome for the message in MAX's response; null if the message has no id, because then it proves nothing
 * (D-25).
 */
export const toDoneOutcome = (message: unknown): Extract<StepOutcome, { kind: 'done' }> | null => {
  const { body, url } = (message ?? {}) as {
    readonly body?: { readonly mid?: unknown } | null;
    readonly url?: unknown;
  };
  const mid = body?.mid;
  if (typeof mid !== 'string' || mid === '') return null;
  const urls = typeof url === 'string' && /^https?:\/\//i.test(url) ? [url] : [];
  return { kind: 'done', result: { mid }, messageIds: [mid], urls };
};

/** Outcome of every step if the credential cannot be a token: no call is made. */
export const malformedToken = {
  kind: 'needs_attention',
  error: {
    code: 'malformed_token',
    category: 'credentials',
    source: 'gateway',
    message: MAX_MESSAGES.malformedToken,
  },
} as const satisfies StepOutcome;
