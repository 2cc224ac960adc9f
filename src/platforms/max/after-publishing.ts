import { settleByLookUp, toDeleteOutcome } from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { ErrorTable } from '../error-table.js';
import type { DeleteContext, DeleteForecast, DeleteOutcome, PublishedMessage, StepOutcome } from '../publisher.js';
import { callMax, classify, isToken, type MaxCall } from './call.js';
import { MAX_CHANGE_ERRORS } from './change-errors.js';
import { MAX_ERRORS } from './errors.js';
import { TITLE } from './limits.js';
import { malformedToken } from './send.js';

const errors = new ErrorTable('max', TITLE, [...MAX_CHANGE_ERRORS, ...MAX_ERRORS]);

/** Deletes a message. If MAX refuses for a reason that does not name the message, asks whether it is there. */
export const deleteMessage = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  { credentials, signal, holdsLease }: DeleteContext,
): Promise<DeleteOutcome> => {
  const token = credentials['access_token'] ?? '';
  if (!isToken(token)) return malformedToken;
  const refused = { visible: false, waits: {}, credentials, countUnknown: connection.countUnknown };
  const using = { token, signal, holdsLease };
  const call: MaxCall = { method: 'DELETE', path: '/messages', query: { message_id: id }, ...using };
  const answer = await callMax(connection, call);
  if (answer.kind === 'answered') {
    if ((answer.body as { readonly success?: unknown }).success === true) return { kind: 'deleted' };
    const unreadable = { kind: 'unreadable', status: answer.status, retryAfter: undefined } as const;
    return toDeleteOutcome(classify(unreadable, refused), TITLE, 'max');
  }
  const outcome = toDeleteOutcome(classify(answer, refused, errors), TITLE, 'max');
  if (outcome.kind !== 'refused' || outcome.error.code !== 'refused') return outcome;
  return settleByLookUp(outcome, async (): Promise<boolean | StepOutcome> => {
    const path = `/messages/${encodeURIComponent(id)}`;
    const found = await callMax(connection, { method: 'GET', path, query: {}, ...using });
    if (found.kind === 'answered') return true;
    const isMissing = found.kind === 'refused' && found.status === 404 && found.code !== 'chat.not.found';
    return isMissing ? false : classify(found, refused);
  });
};

/** A bot deletes its own messages at any age. */
export const canDeleteMessage = (): DeleteForecast => ({ withdraw: true, until: null, text: null });
