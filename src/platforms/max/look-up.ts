import type { Instant } from '../../kernel/clock.js';
import type { Json, JsonObject } from '../../kernel/ids.js';
import type { NetworkConnection } from '../channel-check.js';
import type { LookUpResult, SendContext, SendInDoubt, Step } from '../publisher.js';
import { callMax, classify, isToken } from './call.js';
import { fromHtml } from './render.js';
import { toDoneOutcome } from './send.js';

/** Number of newest messages to compare (networks.md §4). */
const COUNT = 10;
/** MAX's maximum, for a send that may be long ago. */
const MOST = 100;

/** Possible difference between MAX's timestamps and its clock, in ms. Events closer together cannot be ordered. */
const SLACK_MS = 2_000;

/**
 * Looks for a message in doubt in its chat by comparing text, attachment types and time with the newest messages
 * (networks.md §4). Returns `not_sent` only if the newest messages reach back to before the attempt.
 */
export const lookUpMessage = async (
  connection: NetworkConnection,
  step: Step,
  { credentials, channel, waits, signal }: SendContext,
  { since, before, toleranceMs = 0, until, others }: SendInDoubt,
): Promise<LookUpResult> => {
  const token = credentials['access_token'] ?? '';
  if (!step.visible || !isToken(token)) return { kind: 'unknown' };
  const count = until === undefined ? COUNT : MOST;
  const query = { chat_id: channel.address['chat_id'] ?? '', count: String(count) };
  const answer = await callMax(connection, { method: 'GET', path: '/messages', query, token, signal });
  if (answer.kind !== 'answered') {
    const mayPass = classify(answer, { visible: false, waits, credentials }).kind === 'retry';
    return { kind: mayPass ? 'unanswered' : 'unknown' };
  }
  const { messages } = answer.body as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return { kind: 'unknown' };

  const found = (messages as readonly unknown[]).map(readMessage);
  const end = found.findIndex((one) => one !== null && before.has(one.mid));
  const newer = end < 0 ? found : found.slice(0, end);
  const ahead = answer.at === null ? 0 : answer.at - Date.now();
  const from = since + ahead;
  const to = until === undefined ? Infinity : until + ahead + SLACK_MS;
  const mayBeSent = ({ at, mid }: FoundMessage): boolean => at <= to && !others?.has(mid);
  const earliest = from - SLACK_MS - toleranceMs;
  const words = comparableTexts(step.request);
  const kinds = attachmentKinds(step.request['attachments']);
  const same = newer.filter((one) => one !== null && mayBeSent(one) && words.includes(one.text) && one.kinds === kinds);
  const match = same.findLast((one) => one !== null && one.at >= from);
  const outcome = match ? toDoneOutcome(match.message) : null;
  if (outcome) return { kind: 'sent', outcome };
  const oldest = found.at(-1);
  const isComplete = !newer.includes(null) && (end >= 0 || found.length < count || (oldest && oldest.at < earliest));
  const mayBeOlder = same.some((one) => one !== null && one.at >= earliest);
  return { kind: isComplete && !mayBeOlder ? 'not_sent' : 'unknown' };
};

interface FoundMessage {
  readonly message: unknown;
  readonly mid: string;
  readonly at: Instant;
  /** Result of {@link comparableText}. */
  readonly text: string;
  readonly kinds: string;
}

/** Returns null for a malformed message. */
const readMessage = (message: unknown): FoundMessage | null => {
  const { body, timestamp } = (message ?? {}) as { readonly body?: JsonObject | null; readonly timestamp?: unknown };
  const mid = body?.['mid'];
  if (typeof mid !== 'string' || typeof timestamp !== 'number') return null;
  const text = body?.['text'];
  const shown = comparableText(typeof text === 'string' ? text : '');
  return { message, mid, at: timestamp, text: shown, kinds: attachmentKinds(body?.['attachments']) };
};

/** Returns the sent text in the forms that MAX may show: without its formatting, or unchanged. */
const comparableTexts = ({ text, format }: JsonObject): readonly string[] => {
  const sent = typeof text === 'string' ? text : '';
  return (format === 'html' ? [fromHtml(sent), sent] : [sent]).map(comparableText);
};

/** Removes characters that MAX may change: white space, control and invisible characters. */
const comparableText = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, '');

/** Attachment types that the gateway sends. MAX adds others, such as link previews. */
const OURS: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'inline_keyboard']);

const attachmentKinds = (attachments: Json | undefined): string =>
  Array.isArray(attachments)
    ? (attachments as readonly ({ readonly type?: string } | null)[])
        .map((one) => one?.type ?? '')
        .filter((type) => OURS.has(type))
        .sort()
        .join()
    : '';
