import type { Instant } from '../../kernel/instant.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import type { LookUp, SendContext, Step } from '../publisher.js';
import { callMax, isToken, type MaxConnection } from './call.js';
import { plainOf } from './html.js';
import { doneOf } from './send.js';

/** How many of the newest messages are compared (platforms.md §4). */
const COUNT = 10;

/** How far MAX's stamp of a message may lie before the attempt, once the clocks are set to each other. */
const SLACK_MS = 2_000;

/**
 * Whether a message in doubt is in its chat: compares text, kinds of attachment and time with the newest messages
 * (platforms.md §4). Surely absent only where the newest messages reach back before the attempt.
 */
export const lookUpMessage = async (
  connection: MaxConnection,
  step: Step,
  { credentials, channel, results, signal }: SendContext,
  since: Instant,
): Promise<LookUp> => {
  const token = credentials['access_token'] ?? '';
  if (!step.visible || !isToken(token)) return { kind: 'unknown' };
  const query = { chat_id: channel.address['chat_id'] ?? '', count: String(COUNT) };
  const answer = await callMax(connection, { method: 'GET', path: '/messages', query, token, signal });
  if (answer.kind !== 'answered') return { kind: 'unknown' };
  const { messages } = answer.body as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return { kind: 'unknown' };

  const found = (messages as readonly unknown[]).map(readMessage);
  const aheadMs = answer.at === null ? 0 : answer.at - Date.now();
  const from = since + aheadMs - SLACK_MS;
  const known = new Set(Object.values(results).map((result) => result['mid']));
  const wanted = JSON.stringify([textOf(step.request), kindsOf(step.request['attachments'])]);
  const match = found.find(
    (one) => one && one.at >= from && !known.has(one.mid) && JSON.stringify([one.text, one.kinds]) === wanted,
  );
  const outcome = match ? doneOf(match.message) : null;
  if (outcome) return { kind: 'sent', outcome };
  const oldest = found.at(-1);
  const isComplete = !found.includes(null) && (found.length < COUNT || (oldest && oldest.at < from));
  return { kind: isComplete ? 'not_sent' : 'unknown' };
};

interface Found {
  readonly message: unknown;
  readonly mid: string;
  readonly at: Instant;
  readonly text: string;
  readonly kinds: readonly string[];
}

/** What matters of a message; null where it cannot be read. */
const readMessage = (message: unknown): Found | null => {
  const { body, timestamp } = (message ?? {}) as { readonly body?: JsonObject | null; readonly timestamp?: unknown };
  const mid = body?.['mid'];
  if (typeof mid !== 'string' || typeof timestamp !== 'number') return null;
  const text = body?.['text'];
  const shown = typeof text === 'string' ? text.trim() : '';
  return { message, mid, at: timestamp, text: shown, kinds: kindsOf(body?.['attachments']) };
};

const textOf = ({ text, format }: JsonObject): string => {
  const sent = typeof text === 'string' ? text : '';
  return (format === 'html' ? plainOf(sent) : sent).trim();
};

const kindsOf = (attachments: Json | undefined): string[] =>
  Array.isArray(attachments)
    ? (attachments as readonly { readonly type?: string }[]).map(({ type = '' }) => type).sort()
    : [];
