import type { NetworkConnection } from '../channel-check.js';
import { isObject } from '../exchange.js';
import { readCount, sameForAll, toNumbersAnswer } from '../numbers.js';
import type { NumbersAnswer, NumbersContext, StepOutcome } from '../publisher.js';
import { callOk, classifyUnreadable } from './call.js';
import { TITLE } from './limits.js';
import { OK_MESSAGES } from './messages.js';

/** Reads the numbers of a topic. A field that OK does not know, or leaves out, is null. */
export const readNumbers = async (
  connection: NetworkConnection,
  [id = '']: readonly string[],
  context: NumbersContext,
): Promise<NumbersAnswer> => {
  const parameters = { topic_id: id, fields: 'views,likes,comments,reshares' };
  const calling = { ...context, waits: {} };
  const answer = await callOk(connection, { method: 'group.getStatTopic', parameters, visible: false }, calling);
  if (!answer.ok) {
    if (isMissing(answer.outcome)) return sameForAll([id], { kind: 'gone' });
    return toNumbersAnswer(answer.outcome, [id], TITLE, ADVICE);
  }
  const topic = isObject(answer.value) ? answer.value['topic'] : undefined;
  if (!isObject(topic))
    return toNumbersAnswer(classifyUnreadable(answer.last, false, context.credentials), [id], TITLE, ADVICE);
  const { views, likes, comments, reshares } = topic;
  return sameForAll([id], {
    kind: 'counted',
    numbers: {
      views: readCount(views),
      reactions: readCount(likes),
      comments: readCount(comments),
      shares: readCount(reshares),
    },
  });
};

/** OK has one code for everything that is not there; its words begin with the name. */
const isMissing = (outcome: StepOutcome): boolean =>
  'error' in outcome && outcome.error.platform_says?.startsWith('NOT_FOUND') === true;

const ADVICE: Readonly<Record<string, string>> = {
  not_permitted: OK_MESSAGES.numbersNeedRight,
  access_denied: OK_MESSAGES.numbersNeedRight,
};
