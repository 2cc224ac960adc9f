import type { NetworkConnection } from '../channel-check.js';
import { resolveReferences } from '../preview-calls.js';
import type { SendContext, Step, StepOutcome } from '../publisher.js';
import { callOk, classifyUnreadable } from './call.js';

/** Posts to the group's feed. OK offers neither an idempotency key nor a look-up (D-25). */
export const postTopic = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const { attachment, ...rest } = resolveReferences(step.request, context.results);
  const parameters = { ...(rest as Record<string, string>), attachment: JSON.stringify(attachment) };
  const answer = await callOk(connection, { method: step.method, parameters, visible: true }, context);
  if (!answer.ok) return answer.outcome;
  const id = topicIdOf(answer.last.kind === 'answered' ? answer.last.body.toString() : '');
  if (id === null) return classifyUnreadable(answer.last, true, context.credentials);
  return {
    kind: 'done',
    result: { topic_id: id },
    messageIds: [id],
    urls: [`https://ok.ru/group/${(rest['gid'] as string | undefined) ?? ''}/topic/${id}`],
  };
};

/** Extracts a topic's bare id from the response text: parsed as a number, it could lose digits. */
const topicIdOf = (body: string): string | null => /^\s*"?([1-9]\d{0,24})"?\s*$/.exec(body)?.[1] ?? null;
