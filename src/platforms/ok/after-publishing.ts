import { settleByLookUp, toDeleteOutcome } from '../after-publishing.js';
import type { NetworkConnection } from '../channel-check.js';
import { type Exchange, isObject } from '../exchange.js';
import { ErrorTable } from '../outcomes.js';
import type { DeleteContext, DeleteForecast, DeleteOutcome, PublishedMessage, StepOutcome } from '../publisher.js';
import { callOk, classifyUnreadable } from './call.js';
import { OK_CHANGE_ERRORS, OK_ERRORS } from './errors.js';
import { TITLE } from './limits.js';

const errors = new ErrorTable('ok', TITLE, [...OK_CHANGE_ERRORS, ...OK_ERRORS]);

/** Deletes a topic. If OK refuses for a reason that does not name the right, asks whether the topic is there. */
export const deleteTopic = async (
  connection: NetworkConnection,
  { id }: PublishedMessage,
  context: DeleteContext,
): Promise<DeleteOutcome> => {
  const gid = context.channel.address['group_id'] ?? '';
  const calling = { ...context, waits: {} };
  // Programs send the id under either name.
  const parameters = { gid, topic_id: id, delete_id: id };
  const call = { method: 'mediatopic.deleteTopic', parameters, visible: false, errors };
  const answer = await callOk(connection, call, calling);
  const done = answer.ok ? readSuccess(answer.value) : false;
  if (done === true) return { kind: 'deleted' };
  const failure = answer.ok ? (done === false ? REFUSED : unreadable(answer.last, context)) : answer.outcome;
  const outcome = toDeleteOutcome(failure, TITLE, 'ok');
  if (outcome.kind !== 'refused' || outcome.error.code !== 'refused') return outcome;
  return settleByLookUp(outcome, () => isInGroup(connection, id, calling));
};

/** A refusal without an error. */
const REFUSED: StepOutcome = {
  kind: 'failed',
  error: { code: 'refused', category: 'platform', source: 'ok', message: '' },
};

const unreadable = (last: Exchange, { credentials }: DeleteContext): StepOutcome =>
  classifyUnreadable(last, false, credentials);

/** Reads `true` or `{success: true}`; undefined for anything else. */
const readSuccess = (value: unknown): boolean | undefined => {
  const said = isObject(value) ? value['success'] : value;
  return typeof said === 'boolean' ? said : undefined;
};

/** Asks whether a topic exists; returns the outcome of a question that was not answered. */
const isInGroup = async (
  connection: NetworkConnection,
  id: string,
  context: Parameters<typeof callOk>[2],
): Promise<boolean | StepOutcome> => {
  const call = { method: 'mediatopic.getByIds', parameters: { topic_ids: id }, visible: false };
  const answer = await callOk(connection, call, context);
  if (!answer.ok) return answer.outcome;
  const { value } = answer;
  const topics = isObject(value) && 'media_topics' in value ? value['media_topics'] : value;
  const isEmpty = typeof topics === 'object' && (topics === null || Object.keys(topics).length === 0);
  return !isEmpty;
};

/** A moderator deletes topics at any age. */
export const canDeleteTopic = (): DeleteForecast => ({ withdraw: true, until: null, text: null });
