import type { Instant } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';
import type { LookUp, SendContext, Step, StepOutcome } from '../publisher.js';
import { resolveReferences } from '../references.js';
import { callVk, unreadable, type VkConnection } from './call.js';
import { guidOf } from './guid.js';

/** Puts the post on the wall; the one call that readers see. */
export const postToWall = async (connection: VkConnection, step: Step, context: SendContext): Promise<StepOutcome> => {
  const token = context.credentials['access_token'];
  if (!token) return noToken;
  const parameters = parametersOf(step, context);
  const answer = await callVk(connection, { method: step.method, parameters, token, visible: true }, context);
  if (!answer.ok) return answer.outcome;
  const postId = (answer.response as { post_id?: unknown }).post_id;
  if (!Number.isSafeInteger(postId)) return unreadable(answer.last, true);
  return posted(parameters['owner_id'] ?? '', String(postId));
};

/** How many of a wall's newest posts are looked at. */
const LOOKED_AT = 50;

/**
 * Whether the wall has the post: one of the same text and as many attachments, not older than the attempt (D-41).
 * Walls are open to users' tokens, not to a community's: without an upload token it stays unknown.
 */
export const lookUpOnWall = async (
  connection: VkConnection,
  step: Step,
  context: SendContext,
  since: Instant,
): Promise<LookUp> => {
  const token = context.credentials['upload_token'] ?? context.credentials['access_token'];
  if (!token) return { kind: 'unknown' };
  const { owner_id = '', message = '', attachments = '' } = parametersOf(step, context);
  const parameters = { owner_id, count: String(LOOKED_AT), filter: 'owner' };
  const answer = await callVk(connection, { method: 'wall.get', parameters, token, visible: false }, context);
  if (!answer.ok) return { kind: 'unknown' };
  const { items } = answer.response as { items?: unknown };
  if (!Array.isArray(items)) return { kind: 'unknown' };

  // VK's dates are whole seconds.
  const from = Math.floor(since / 1_000) - 1;
  const count = attachments === '' ? 0 : attachments.split(',').length;
  const recent = (items as readonly (WallPost | null)[]).filter((item) => (item?.date ?? 0) >= from);
  const same = recent.find(
    (item) => essence(item?.text ?? '') === essence(message) && uploadsOf(item) === count && item?.id !== undefined,
  );
  if (same) return { kind: 'sent', outcome: posted(owner_id, String(same.id)) };
  // Where all that was seen is newer, ours may stand behind it.
  return { kind: recent.length < LOOKED_AT ? 'not_sent' : 'unknown' };
};

/** The parts of a post of `wall.get` that matter here. */
interface WallPost {
  readonly id?: number;
  /** Seconds. */
  readonly date?: number;
  readonly text?: string;
  readonly attachments?: readonly { readonly type?: string }[];
}

/** Photos and videos; VK adds links of its own. */
const uploadsOf = (item: WallPost | null): number =>
  item?.attachments?.filter(({ type }) => type === 'photo' || type === 'video').length ?? 0;

/** A text without what VK may change of it: white space and characters that are not seen. */
const essence = (text: string): string => text.replace(/[\s\u200b]+/g, '');

const parametersOf = ({ request }: Step, { results, key }: SendContext): Readonly<Record<string, string>> => {
  const resolved = resolveReferences(request, { ...results, publication: { guid: guidOf(key) } });
  return Object.fromEntries(
    Object.entries(resolved).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value as string)]),
  );
};

const posted = (ownerId: string, postId: string): Extract<StepOutcome, { kind: 'done' }> => ({
  kind: 'done',
  result: { post_id: postId } satisfies JsonObject,
  messageIds: [postId],
  urls: [`https://vk.com/wall${ownerId}_${postId}`],
});

const noToken: StepOutcome = {
  kind: 'credentials',
  error: {
    code: 'access_token_missing',
    category: 'credentials',
    source: 'gateway',
    message: 'The channel has no access token: set the credentials anew.',
  },
};
