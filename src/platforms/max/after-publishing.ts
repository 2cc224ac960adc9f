import { CHANGED, settleByLookUp, toDeleteOutcome, toEditOutcome } from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { ErrorTable } from '../error-table.js';
import { resolveReferences } from '../preview-calls.js';
import type {
  DeleteContext,
  DeleteForecast,
  DeleteOutcome,
  EditOutcome,
  EditStep,
  PublishedMessage,
  SendContext,
  StepOutcome,
} from '../publisher.js';
import { callMax, classify, isToken, type MaxCall } from './call.js';
import { MAX_CHANGE_ERRORS, MAX_EDIT_ERRORS, MAX_PIN_ERRORS } from './change-errors.js';
import { MAX_ERRORS } from './errors.js';
import { TITLE } from './limits.js';
import { malformedToken, sendStep } from './send.js';

const deleteErrors = new ErrorTable('max', TITLE, [...MAX_CHANGE_ERRORS, ...MAX_ERRORS]);
const editErrors = new ErrorTable('max', TITLE, [...MAX_EDIT_ERRORS, ...MAX_ERRORS]);
const pinErrors = new ErrorTable('max', TITLE, [...MAX_PIN_ERRORS, ...MAX_ERRORS]);

/** Deletes a message. */
export const deleteMessage = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<DeleteOutcome> => {
  const call = { method: 'DELETE', path: '/messages', query: { message_id: id } } as const;
  const outcome = await changeMessage(connection, context, call, deleteErrors);
  if (outcome === null) return { kind: 'deleted' };
  return settle(connection, context, id, toDeleteOutcome(outcome, TITLE, 'max'));
};

/** Runs a step of an edit: uploads a new medium, or changes a message. */
export const editMessage = async (
  connection: NetworkConnection,
  step: EditStep,
  context: SendContext,
): Promise<EditOutcome> => {
  const { messageId } = step;
  if (messageId === null) return toEditOutcome(await sendStep(connection, step, context), 'edit', TITLE, 'max');
  const { message_id: _, ...body } = resolveReferences(step.request, context.results);
  const call = { method: 'PUT', path: '/messages', query: { message_id: messageId }, body } as const;
  const outcome = await changeMessage(connection, context, call, editErrors);
  if (outcome === null) return CHANGED;
  return settle(connection, context, messageId, toEditOutcome(outcome, 'edit', TITLE, 'max'));
};

/** Pins a message without a notification: the post itself has notified already. */
export const pinMessage = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<EditOutcome> => {
  const path = `/chats/${encodeURIComponent(context.channel.address['chat_id'] ?? '')}/pin`;
  const call = { method: 'PUT', path, query: {}, body: { message_id: id, notify: false } } as const;
  const outcome = await changeMessage(connection, context, call, pinErrors);
  return outcome === null ? CHANGED : toEditOutcome(outcome, 'pin', TITLE, 'max');
};

type ChangeContext = Pick<SendContext, 'credentials' | 'signal' | 'holdsLease'> & Partial<Pick<SendContext, 'waits'>>;

/** Makes a call that changes a message; returns null if MAX did it, otherwise the outcome. */
const changeMessage = async (
  connection: NetworkConnection,
  { credentials, waits = {}, signal, holdsLease }: ChangeContext,
  call: Pick<MaxCall, 'method' | 'path' | 'query' | 'body'>,
  table: ErrorTable,
): Promise<StepOutcome | null> => {
  const token = credentials['access_token'] ?? '';
  if (!isToken(token)) return malformedToken;
  const answer = await callMax(connection, { ...call, token, signal, holdsLease });
  const refused = { visible: false, waits, credentials, countUnknown: connection.countUnknown };
  if (answer.kind !== 'answered') return classify(answer, refused, table);
  if ((answer.body as { readonly success?: unknown }).success === true) return null;
  return classify({ kind: 'unreadable', status: answer.status, retryAfter: undefined }, refused);
};

/** If MAX refuses for a reason that does not name the message, asks whether it is there. */
const settle = <Outcome extends DeleteOutcome | EditOutcome>(
  connection: NetworkConnection,
  { credentials, signal, holdsLease }: ChangeContext,
  id: string,
  outcome: Outcome,
): Promise<Outcome | Exclude<EditOutcome, { kind: 'done' }>> | Outcome => {
  if (outcome.kind !== 'refused' || outcome.error.code !== 'refused') return outcome;
  return settleByLookUp<Outcome>(outcome, async () => {
    const token = credentials['access_token'] ?? '';
    const path = `/messages/${encodeURIComponent(id)}`;
    const found = await callMax(connection, { method: 'GET', path, query: {}, token, signal, holdsLease });
    if (found.kind === 'answered') return true;
    const isMissing = found.kind === 'refused' && found.status === 404 && found.code !== 'chat.not.found';
    const refused = { visible: false, waits: {}, credentials, countUnknown: connection.countUnknown };
    return isMissing ? false : classify(found, refused);
  });
};

/** A bot deletes its own messages at any age. */
export const canDeleteMessage = (): DeleteForecast => ({ withdraw: true, until: null, text: null });
