import type { JsonObject } from '../../kernel/ids.js';
import type { NetworkConnection } from '../channel-check.js';
import { reasonForLink } from '../media.js';
import { doneWithoutMessage, unusableCredentials } from '../outcomes.js';
import { resolveReferences } from '../preview-calls.js';
import type { SendContext, Step, StepOutcome } from '../publisher.js';
import { callMax, classify, isToken } from './call.js';
import { MAX_MESSAGES } from './messages.js';
import { uploadMedium } from './upload.js';

/** Runs one step and returns its outcome; never throws. */
export const sendStep = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['access_token'] ?? '';
  if (!isToken(token)) return malformedToken;
  return step.visible ? postMessage(connection, step, token, context) : uploadMedium(connection, step, token, context);
};

const postMessage = async (
  connection: NetworkConnection,
  step: Step,
  token: string,
  { channel, credentials, results, waits, signal, holdsLease }: SendContext,
): Promise<StepOutcome> => {
  // Uses the channel's current address, not the address in the rendering.
  const { chat_id: _, ...body } = resolveReferences(step.request, results);
  const query = { chat_id: channel.address['chat_id'] ?? '' };
  const answer = await callMax(connection, {
    method: 'POST',
    path: '/messages',
    query,
    body,
    token,
    signal,
    holdsLease,
  });
  const call = { visible: true, waits, credentials, countUnknown: connection.countUnknown };
  if (answer.kind !== 'answered') return linkRefusedMedia(classify(answer, call), step);
  const { message } = answer.body as { readonly message?: unknown };
  return toDoneOutcome(message) ?? classify({ kind: 'unreadable', status: answer.status, retryAfter: undefined }, call);
};

/** Skips a message whose media MAX refuses: they become links in the text (D-22). */
const linkRefusedMedia = (outcome: StepOutcome, { request }: Step): StepOutcome => {
  const hasMedia = ((request['attachments'] ?? []) as readonly JsonObject[]).some(
    ({ type }) => type !== 'inline_keyboard',
  );
  return outcome.kind === 'failed' && outcome.error.category === 'media' && hasMedia
    ? doneWithoutMessage({ refused: reasonForLink(outcome.error) })
    : outcome;
};

/** Returns the outcome for a message in a response; null for a message without an id, which proves nothing (D-25). */
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

/** Outcome of every step if the credential cannot be a token. */
export const malformedToken = unusableCredentials('malformed_token', MAX_MESSAGES.malformedToken);
