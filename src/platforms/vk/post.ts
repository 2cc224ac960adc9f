import type { NetworkConnection } from '../channel-check.js';
import { unusableCredentials } from '../outcomes.js';
import { resolveReferences } from '../preview-calls.js';
import type { SendContext, Step, StepOutcome } from '../publisher.js';
import { callVk, classifyUnreadable } from './call.js';
import { toGuid } from './guid.js';
import { VK_MESSAGES } from './messages.js';

/** Posts to the wall. */
export const postToWall = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
): Promise<StepOutcome> => {
  const token = context.credentials['access_token'];
  if (!token) return noToken;
  const parameters = buildParameters(step, context);
  const answer = await callVk(connection, { method: step.method, parameters, token, visible: true }, context);
  if (!answer.ok) return answer.outcome;
  const postId = (answer.response as { post_id?: unknown }).post_id;
  if (!Number.isSafeInteger(postId)) return classifyUnreadable(answer.last, true, context.credentials);
  return toDoneOutcome(parameters['owner_id'] ?? '', String(postId));
};

/** Returns the parameters of a step's call, with references and `guid` resolved. */
const buildParameters = ({ request }: Step, { results, key }: SendContext): Readonly<Record<string, string>> => {
  const resolved = resolveReferences(request, { ...results, publication: { guid: toGuid(key) } });
  return Object.fromEntries(
    Object.entries(resolved).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value as string)]),
  );
};

/** Returns the outcome of the step that created a wall post. */
export const toDoneOutcome = (ownerId: string, postId: string): Extract<StepOutcome, { kind: 'done' }> => ({
  kind: 'done',
  result: { post_id: postId },
  messageIds: [postId],
  urls: [`https://vk.com/wall${ownerId}_${postId}`],
});

/** Outcome of every step if the channel has no token. */
export const noToken = unusableCredentials('access_token_missing', VK_MESSAGES.accessTokenMissing);
