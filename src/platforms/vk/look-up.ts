import type { Exchange } from '../exchange.js';
import type { LookUp, SendContext, SendInDoubt, Step } from '../publisher.js';
import { callVk, type VkConnection } from './call.js';
import { parametersOf, posted } from './post.js';

/** How many of a wall's newest posts are looked at. */
const LOOKED_AT = 50;

/** How far VK's dates may be from what its clock tells us, in seconds: within it, before or after cannot be told. */
const SLACK_S = 2;

/**
 * Whether the wall has the post: one of the same text and as many attachments, not older than the attempt (D-41).
 * Walls are open to users' tokens, not to a community's: without an upload token it stays unknown.
 */
export const lookUpOnWall = async (
  connection: VkConnection,
  step: Step,
  context: SendContext,
  { since, before }: SendInDoubt,
): Promise<LookUp> => {
  const token = context.credentials['upload_token'] ?? context.credentials['access_token'];
  if (!step.visible || !token) return { kind: 'unknown' };
  const { owner_id = '', message = '', attachments = '' } = parametersOf(step, context);
  const parameters = { owner_id, count: String(LOOKED_AT), filter: 'owner' };
  const answer = await callVk(connection, { method: 'wall.get', parameters, token, visible: false }, context);
  if (!answer.ok) return { kind: answer.outcome.kind === 'retry' ? 'unanswered' : 'unknown' };
  const { items } = answer.response as { items?: unknown };
  if (!Array.isArray(items)) return { kind: 'unknown' };

  // A pinned post stands before the newest, however old it is.
  const found = (items as readonly (WallPost | null)[]).filter((item) => item?.is_pinned !== 1);
  const end = found.findIndex((item) => before.has(String(item?.id)));
  // VK's dates are whole seconds, by its own clock.
  const from = Math.floor((since + aheadMs(answer.last)) / 1_000);
  const recent = (end < 0 ? found : found.slice(0, end)).filter((item) => (item?.date ?? 0) >= from - SLACK_S);
  const count = attachments === '' ? 0 : attachments.split(',').length;
  const same = recent.filter((item) => essence(item?.text ?? '') === essence(message) && uploadsOf(item) === count);
  const match = same.findLast((item) => (item?.date ?? 0) >= from);
  if (match?.id !== undefined) return { kind: 'sent', outcome: posted(owner_id, String(match.id)) };
  // Where all that was seen is newer, ours may stand behind it.
  const isComplete = end >= 0 || recent.length < found.length || items.length < LOOKED_AT;
  return { kind: isComplete && same.length === 0 ? 'not_sent' : 'unknown' };
};

/** How far VK's clock is ahead of ours, ms. */
const aheadMs = (last: Exchange): number => {
  const at = last.kind === 'answered' ? Date.parse(last.headers.date ?? '') : NaN;
  return Number.isNaN(at) ? 0 : at - Date.now();
};

/** The parts of a post of `wall.get` that matter here. */
interface WallPost {
  readonly id?: number;
  /** Seconds. */
  readonly date?: number;
  readonly text?: string;
  readonly is_pinned?: number;
  readonly attachments?: readonly { readonly type?: string }[];
}

/** Photos and videos; VK adds links of its own. */
const uploadsOf = (item: WallPost | null): number =>
  item?.attachments?.filter(({ type }) => type === 'photo' || type === 'video').length ?? 0;

/** A text without what VK may change of it: white space and characters that are not seen. */
const essence = (text: string): string => text.replace(/[\s\u200b]+/g, '');
