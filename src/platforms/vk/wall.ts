import { createHash } from 'node:crypto';
import type { JsonObject } from '../../kernel/ids.js';
import type { NetworkConnection } from '../channel-check.js';
import type { Exchange } from '../exchange.js';
import { unusableCredentials } from '../outcomes.js';
import { resolveReferences } from '../preview-calls.js';
import type { LookUpResult, SendContext, SendInDoubt, Step, StepOutcome } from '../publisher.js';
import { callVk, classifyUnreadable } from './call.js';
import { VK_MESSAGES } from './messages.js';

/** Converts a publication's key to VK's `guid` (networks.md §4): a positive 63-bit number in decimal. */
const toGuid = (key: string): string => {
  const bits = createHash('sha256').update(key).digest().readBigUInt64BE();
  return String(BigInt.asUintN(63, bits));
};

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
export const buildParameters = ({ request }: Step, { results, key }: SendContext): Readonly<Record<string, string>> => {
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

/** How many of the newest wall posts to compare. */
const COMPARED_POSTS = 50;
/** VK's maximum, for a send that may be long ago. */
const MOST_POSTS = 100;

/** Possible difference between VK's dates and VK's clock, in seconds. Events closer together cannot be ordered. */
const SLACK_S = 2;

/**
 * Searches the wall for a post with the same text and number of attachments, no older than the attempt (D-41). Returns
 * `unknown` without a user token, because no other token can read a wall.
 */
export const lookUpOnWall = async (
  connection: NetworkConnection,
  step: Step,
  context: SendContext,
  { since, before, toleranceMs = 0, until, others }: SendInDoubt,
): Promise<LookUpResult> => {
  const token = context.credentials['upload_token'] ?? context.credentials['access_token'];
  if (!step.visible || !token) return { kind: 'unknown' };
  // Only what needs no results of uploads, which may be lost.
  const { owner_id = '', message = '', attachments = [] } = step.request as WallRequest;
  const compared = until === undefined ? COMPARED_POSTS : MOST_POSTS;
  const parameters = { owner_id, count: String(compared), filter: 'owner' };
  const answer = await callVk(connection, { method: 'wall.get', parameters, token, visible: false }, context);
  if (!answer.ok) return { kind: answer.outcome.kind === 'retry' ? 'unanswered' : 'unknown' };
  const { items } = answer.response as { items?: unknown };
  if (!Array.isArray(items)) return { kind: 'unknown' };

  // A pinned post comes first, whatever its age.
  const found = (items as readonly (WallPost | null)[]).filter((item) => item?.is_pinned !== 1);
  const end = found.findIndex((item) => before.has(String(item?.id)));
  // VK's dates are in whole seconds, by its own clock.
  const ahead = aheadMs(answer.last);
  const from = Math.floor((since + ahead) / 1_000);
  const to = until === undefined ? Infinity : Math.floor((until + ahead) / 1_000) + SLACK_S;
  const oldest = from - SLACK_S - Math.ceil(toleranceMs / 1_000);
  const recent = (end < 0 ? found : found.slice(0, end)).filter((item) => (item?.date ?? 0) >= oldest);
  const text = comparableText(message);
  const count = attachments.length;
  const mayBeSent = (item: WallPost | null) => (item?.date ?? 0) <= to && !others?.has(String(item?.id));
  const same = recent.filter(
    (item) => mayBeSent(item) && comparableText(item?.text ?? '') === text && countUploads(item) === count,
  );
  const match = same.findLast((item) => (item?.date ?? 0) >= from);
  if (match?.id !== undefined) return { kind: 'sent', outcome: toDoneOutcome(owner_id, String(match.id)) };
  // If every post on the page is newer than the attempt, the post may be on the next page.
  const isComplete = end >= 0 || recent.length < found.length || items.length < compared;
  return { kind: isComplete && same.length === 0 ? 'not_sent' : 'unknown' };
};

/** The compared parts of a rendered post. */
interface WallRequest extends JsonObject {
  readonly owner_id?: string;
  readonly message?: string;
  readonly attachments?: readonly JsonObject[];
}

/** Returns how far VK's clock is ahead of this machine's, in ms. */
const aheadMs = (last: Exchange): number => {
  const at = last.kind === 'answered' ? Date.parse(last.headers.date ?? '') : NaN;
  return Number.isNaN(at) ? 0 : at - Date.now();
};

/** The relevant parts of a post from `wall.get`. */
interface WallPost {
  readonly id?: number;
  /** Unix time, in seconds. */
  readonly date?: number;
  readonly text?: string;
  readonly is_pinned?: number;
  readonly attachments?: readonly { readonly type?: string }[];
}

/** Ignores links, which VK itself attaches. */
const countUploads = (item: WallPost | null): number =>
  item?.attachments?.filter(({ type }) => type === 'photo' || type === 'video').length ?? 0;

/** Removes characters that VK may change: white space and invisible characters. */
const comparableText = (text: string): string => text.replace(/[\s\u200b]+/g, '');
