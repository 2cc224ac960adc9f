import type { Instant } from '../../kernel/instant.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import type { LookUp, SendContext, SendInDoubt, Step } from '../publisher.js';
import { callMax, isToken, type MaxConnection } from './call.js';
import { classify } from './classify.js';
import { plainOf } from './html.js';
import { doneOf } from './send.js';

/** How many of the newest messages are compared (networks.md §4). */
const COUNT = 10;

/** How far MAX's stamps may be from what its clock tells us: within it, before or after cannot be told. */
const SLACK_MS = 2_000;

/**
 * Whether a message in doubt is in its chat: compares text, kinds of attachment and time with the newest messages
 * (networks.md §4). Surely absent only where the newest messages reach back before the attempt.
 */
export const lookUpMessage = async (
  connection: MaxConnection,
  step: Step,
  { credentials, channel, waits, signal }: SendContext,
  { since, before }: SendInDoubt,
): Promise<LookUp> => {
  const token = credentials['access_token'] ?? '';
  if (!step.visible || !isToken(token)) return { kind: 'unknown' };
  const query = { chat_id: channel.address['chat_id'] ?? '', count: String(COUNT) };
  const answer = await callMax(connection, { method: 'GET', path: '/messages', query, token, signal });
  if (answer.kind !== 'answered') {
    const mayPass = classify(answer, { visible: false, waits }).kind === 'retry';
    return { kind: mayPass ? 'unanswered' : 'unknown' };
  }
  const { messages } = answer.body as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return { kind: 'unknown' };

  const found = (messages as readonly unknown[]).map(readMessage);
  const end = found.findIndex((one) => one !== null && before.has(one.mid));
  const newer = end < 0 ? found : found.slice(0, end);
  const aheadMs = answer.at === null ? 0 : answer.at - Date.now();
  const from = since + aheadMs;
  const words = wordsOf(step.request);
  const kinds = kindsOf(step.request['attachments']);
  const same = newer.filter((one) => one !== null && words.includes(one.text) && one.kinds === kinds);
  const match = same.findLast((one) => one !== null && one.at >= from);
  const outcome = match ? doneOf(match.message) : null;
  if (outcome) return { kind: 'sent', outcome };
  const oldest = found.at(-1);
  const isComplete =
    !newer.includes(null) && (end >= 0 || found.length < COUNT || (oldest && oldest.at < from - SLACK_MS));
  const mayBeOlder = same.some((one) => one !== null && one.at >= from - SLACK_MS);
  return { kind: isComplete && !mayBeOlder ? 'not_sent' : 'unknown' };
};

interface Found {
  readonly message: unknown;
  readonly mid: string;
  readonly at: Instant;
  /** Its {@link essence}. */
  readonly text: string;
  readonly kinds: string;
}

/** What matters of a message; null where it cannot be read. */
const readMessage = (message: unknown): Found | null => {
  const { body, timestamp } = (message ?? {}) as { readonly body?: JsonObject | null; readonly timestamp?: unknown };
  const mid = body?.['mid'];
  if (typeof mid !== 'string' || typeof timestamp !== 'number') return null;
  const text = body?.['text'];
  const shown = essence(typeof text === 'string' ? text : '');
  return { message, mid, at: timestamp, text: shown, kinds: kindsOf(body?.['attachments']) };
};

/** The words that were sent as MAX may show them: with their formatting apart, or as they were sent. */
const wordsOf = ({ text, format }: JsonObject): readonly string[] => {
  const sent = typeof text === 'string' ? text : '';
  return (format === 'html' ? [plainOf(sent), sent] : [sent]).map(essence);
};

/** A text without what MAX may change of it: white space, control characters, and what is not seen. */
const essence = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, '');

/** What we attach; MAX adds attachments of its own, a preview of a link among them. */
const OURS: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'inline_keyboard']);

const kindsOf = (attachments: Json | undefined): string =>
  Array.isArray(attachments)
    ? (attachments as readonly ({ readonly type?: string } | null)[])
        .map((one) => one?.type ?? '')
        .filter((type) => OURS.has(type))
        .sort()
        .join()
    : '';
