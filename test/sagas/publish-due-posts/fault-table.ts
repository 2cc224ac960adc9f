import type { PublicationError } from '../../../src/domain/publication/publication.events.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import type { NetworkName } from '../../platforms/wire/networks.js';

/** A fault of the visible call. */
export type CallFault = Partial<Fault> & Pick<Fault, 'mode'>;

/** Expected end of an attempt (networks.md §3). */
export type ExpectedEnd =
  /** Postponed: to the millisecond if the network names or implies a wait, otherwise by the gateway's backoff. */
  | { readonly as: 'retry'; readonly afterMs: number | 'backoff'; readonly rule: 'retry' | 'platform_limit' }
  | { readonly as: 'failed' }
  | { readonly as: 'attention' }
  | { readonly as: 'doubt' }
  | { readonly as: 'moved'; readonly to: string };

/** One row: a fault, the error that it becomes (D-35), and the end of the attempt. */
export interface FaultRow {
  readonly network: NetworkName;
  readonly what: string;
  readonly fault: CallFault;
  readonly error: Partial<PublicationError>;
  readonly expectedEnd: ExpectedEnd;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const named = (afterMs: number | 'backoff'): ExpectedEnd => ({ as: 'retry', afterMs, rule: 'platform_limit' });
const FAILED: ExpectedEnd = { as: 'failed' };
const ATTENTION: ExpectedEnd = { as: 'attention' };
const DOUBT: ExpectedEnd = { as: 'doubt' };
const RETRIED: ExpectedEnd = { as: 'retry', afterMs: 'backoff', rule: 'retry' };

type ErrorKind = readonly [category: PublicationError['category'], code: string];

/** A refusal by the network: its words must reach the publication's error (D-35). */
const refusals =
  (network: NetworkName, faultOf: (code: number | string, words: string) => CallFault) =>
  (code: number | string, words: string, [category, named]: ErrorKind, ends: ExpectedEnd): FaultRow => ({
    network,
    what: `${code} ${words}`,
    fault: faultOf(code, words),
    error: { category, code: named, source: network, platform_says: expect.stringContaining(words) as string },
    expectedEnd: ends,
  });

const telegram = refusals('telegram', (code, description) => ({
  mode: 'answer',
  status: Number(code),
  body: { ok: false, error_code: Number(code), description },
}));

const FLOOD = (parameters: object): CallFault => ({
  mode: 'answer',
  status: 429,
  body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters },
});
const FLOOD_ERROR = { category: 'rate_limit', code: 'too_many_requests', source: 'telegram' };

const TELEGRAM: readonly FaultRow[] = [
  {
    network: 'telegram',
    what: '429 retry_after 7',
    fault: FLOOD({ retry_after: 7 }),
    error: FLOOD_ERROR,
    expectedEnd: named(7 * SECOND),
  },
  {
    network: 'telegram',
    what: '429 retry_after 3600',
    fault: FLOOD({ retry_after: 3_600 }),
    error: FLOOD_ERROR,
    expectedEnd: named(HOUR),
  },
  telegram(429, 'Too Many Requests: retry after 11', ['rate_limit', 'too_many_requests'], named(11 * SECOND)),
  {
    network: 'telegram',
    what: '429 without a time',
    fault: FLOOD({}),
    error: FLOOD_ERROR,
    expectedEnd: named('backoff'),
  },
  {
    network: 'telegram',
    what: '400 with migrate_to_chat_id',
    fault: {
      mode: 'answer',
      status: 400,
      body: {
        ok: false,
        error_code: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: -1009990001 },
      },
    },
    error: { category: 'channel', code: 'channel_moved', platform_says: expect.stringContaining('upgraded') as string },
    expectedEnd: { as: 'moved', to: '-1009990001' },
  },
  telegram(400, 'Bad Request: message is too long', ['payload', 'too_long'], FAILED),
  telegram(400, 'Bad Request: BUTTON_URL_INVALID', ['payload', 'bad_button'], FAILED),
  telegram(400, 'Bad Request: wrong type of the web page content', ['media', 'media_refused'], FAILED),
  telegram(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS', ['media', 'media_refused'], FAILED),
  telegram(400, 'Bad Request: something unheard of', ['payload', 'refused'], FAILED),
  telegram(401, 'Unauthorized', ['credentials', 'unauthorized'], ATTENTION),
  telegram(404, 'Not Found', ['credentials', 'bot_not_found'], ATTENTION),
  telegram(403, 'Forbidden: bot was kicked from the channel chat', ['channel', 'forbidden'], ATTENTION),
  telegram(403, 'Forbidden: bot is not a member of the channel chat', ['channel', 'forbidden'], ATTENTION),
  telegram(400, 'Bad Request: chat not found', ['channel', 'chat_not_found'], ATTENTION),
  telegram(400, 'Bad Request: not enough rights to send text messages', ['channel', 'no_right_to_post'], ATTENTION),
  telegram(400, 'Bad Request: need administrator rights', ['channel', 'no_right_to_post'], ATTENTION),
  telegram(400, 'Bad Request: CHAT_WRITE_FORBIDDEN', ['channel', 'no_right_to_post'], ATTENTION),
  telegram(500, 'Internal Server Error', ['platform', 'server_error'], DOUBT),
  telegram(502, 'Bad Gateway', ['platform', 'server_error'], DOUBT),
  telegram(504, 'Gateway Timeout', ['platform', 'server_error'], DOUBT),
  telegram(400, 'Bad Request: failed to send message #2', ['platform', 'album_incomplete'], DOUBT),
  telegram(400, 'Bad Request: group send failed', ['platform', 'album_not_sent'], RETRIED),
];

const vk = refusals('vk', (code, error_msg) => ({
  mode: 'answer',
  status: 200,
  body: { error: { error_code: code, error_msg } },
}));

const VK: readonly FaultRow[] = [
  vk(6, 'Too many requests per second', ['rate_limit', 'slow_down'], named(SECOND)),
  vk(9, 'Flood control', ['rate_limit', 'slow_down'], named(5 * MINUTE)),
  vk(29, 'Rate limit reached', ['rate_limit', 'slow_down'], named(15 * MINUTE)),
  vk(43, 'This section is temporary unavailable', ['rate_limit', 'slow_down'], named(MINUTE)),
  vk(
    214,
    'Access to adding post denied: you can only add 50 posts a day',
    ['rate_limit', 'daily_limit'],
    named(24 * HOUR),
  ),
  vk(100, 'One of the parameters specified was missing or invalid', ['payload', 'bad_parameter'], FAILED),
  vk(214, 'Access to adding post denied', ['payload', 'posting_denied'], FAILED),
  vk(219, 'Advertisement post was recently added', ['payload', 'advertisement_too_soon'], FAILED),
  vk(222, 'Hyperlinks are forbidden', ['payload', 'links_forbidden'], FAILED),
  vk(224, 'Too many ads posts', ['payload', 'too_many_advertisements'], FAILED),
  vk(12345, 'Something new', ['payload', 'refused'], FAILED),
  vk(5, 'User authorization failed', ['credentials', 'unauthorized'], ATTENTION),
  vk(7, 'Permission to perform this action is denied', ['channel', 'not_permitted'], ATTENTION),
  vk(14, 'Captcha needed', ['credentials', 'captcha_needed'], ATTENTION),
  vk(15, 'Access denied', ['channel', 'access_denied'], ATTENTION),
  vk(17, 'Validation required', ['credentials', 'validation_needed'], ATTENTION),
  vk(18, 'User was deleted or banned', ['credentials', 'account_gone'], ATTENTION),
  vk(27, 'Group authorization failed', ['credentials', 'wrong_kind_of_token'], ATTENTION),
  vk(28, 'Application authorization failed', ['credentials', 'wrong_kind_of_token'], ATTENTION),
  vk(37, 'User was banned in the community', ['credentials', 'account_gone'], ATTENTION),
  vk(203, 'Access to group denied', ['channel', 'group_access_denied'], ATTENTION),
  ...[1117, 3609, 16, 42, 24, 25, 41, 38, 39, 101, 3301, 3302, 3303, 3304, 3610, 3611, 11500].map((code) =>
    vk(code, 'in words', ['credentials', expect.any(String) as unknown as string], ATTENTION),
  ),
  vk(1051, 'Method is unavailable for this profile type', ['credentials', 'wrong_kind_of_token'], ATTENTION),
  vk(3300, 'Captcha needed (new)', ['credentials', 'captcha_needed'], ATTENTION),
  vk(100, 'One of the parameters was invalid: owner_id', ['channel', 'chat_not_found'], ATTENTION),
  vk(125, 'Invalid group id', ['channel', 'chat_not_found'], ATTENTION),
  vk(214, 'Access to adding post denied: the wall is closed', ['channel', 'posting_denied'], ATTENTION),
  vk(1, 'Unknown error occurred', ['platform', 'server_error'], DOUBT),
  vk(10, 'Internal server error', ['platform', 'server_error'], DOUBT),
  vk(36, 'Method execution was interrupted due to timeout', ['platform', 'server_error'], DOUBT),
];

const max = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  refusals('max', (code) => ({ mode: 'answer', status, body: { code, message: 'in words' }, headers }));

const MAX: readonly FaultRow[] = [
  max(429, { 'retry-after': '7' })('too.many.requests', '', ['rate_limit', 'too_many_requests'], named(7 * SECOND)),
  max(429)('too.many.requests', '', ['rate_limit', 'too_many_requests'], named('backoff')),
  max(400)('attachment.not.ready', '', ['rate_limit', 'attachment_not_ready'], named(SECOND)),
  max(400)('proto.payload', '', ['payload', 'bad_request'], FAILED),
  max(400)('errors.process.attachment.video.not.supported', '', ['media', 'media_refused'], FAILED),
  max(200)('chat.is.frozen', '', ['payload', 'refused'], FAILED),
  max(401)('verify.token', '', ['credentials', 'unauthorized'], ATTENTION),
  max(403)('chat.denied', '', ['channel', 'forbidden'], ATTENTION),
  max(400)('chat.denied', '', ['channel', 'forbidden'], ATTENTION),
  max(200)('chat.not.found', '', ['channel', 'chat_not_found'], ATTENTION),
  max(404)('chat.not.found', '', ['channel', 'chat_not_found'], ATTENTION),
  max(500)('internal', '', ['platform', 'server_error'], DOUBT),
  max(503)('service.unavailable', '', ['platform', 'server_error'], DOUBT),
].map((row) =>
  // Success with `success: false` is a refusal (D-41).
  row.fault.status === 200
    ? { ...row, fault: { ...row.fault, body: { ...(row.fault.body as object), success: false } } }
    : row,
);

const ok = refusals('ok', (error_code, error_msg) => ({
  mode: 'answer',
  status: 200,
  body: { error_code, error_msg, error_data: null },
}));

const OK: readonly FaultRow[] = [
  ok(2, 'SERVICE : Service temporary unavailable', ['rate_limit', 'slow_down'], named(5 * SECOND)),
  ok(8, 'FLOOD_BLOCKED', ['rate_limit', 'slow_down'], named(5 * MINUTE)),
  ok(11, 'LIMIT_REACHED', ['rate_limit', 'slow_down'], named(MINUTE)),
  ok(100, 'PARAM : invalid', ['payload', 'bad_parameter'], FAILED),
  ok(454, 'CENSOR_MATCH', ['payload', 'text_refused'], FAILED),
  ...[500, 501, 502, 503, 504].map((code) => ok(code, 'PHOTO : refused', ['media', 'media_refused'], FAILED)),
  ok(511, 'IDS_BLOCKED', ['payload', 'spam_suspected'], FAILED),
  ok(600, 'MEDIA_TOPIC_BLOCK_LIMIT', ['payload', 'too_many_blocks'], FAILED),
  ok(601, 'MEDIA_TOPIC_TEXT_LIMIT', ['payload', 'too_long'], FAILED),
  ok(607, 'MEDIA_TOPIC_LINK_BAD_FORMAT', ['payload', 'bad_link'], FAILED),
  ok(99999, 'Something new', ['payload', 'refused'], FAILED),
  ok(10, 'PERMISSION_DENIED', ['credentials', 'not_permitted'], ATTENTION),
  ok(50, 'NOT_ADMIN', ['channel', 'access_denied'], ATTENTION),
  ok(101, 'PARAM_API_KEY', ['credentials', 'unknown_application'], ATTENTION),
  ok(102, 'PARAM_SESSION_EXPIRED', ['credentials', 'token_expired'], ATTENTION),
  ok(103, 'PARAM_SESSION_KEY', ['credentials', 'unauthorized'], ATTENTION),
  ok(104, 'PARAM_SIGNATURE', ['credentials', 'bad_signature'], ATTENTION),
  ok(160, 'PARAM_GROUP_ID', ['channel', 'chat_not_found'], ATTENTION),
  ok(200, 'PARAM_PERMISSION', ['credentials', 'not_permitted'], ATTENTION),
  ok(210, 'PARAM_APPLICATION_DISABLED', ['credentials', 'application_blocked'], ATTENTION),
  ok(453, 'SESSION_REQUIRED', ['credentials', 'unauthorized'], ATTENTION),
  ok(456, 'GROUP_RESTRICTION', ['channel', 'group_restricted'], ATTENTION),
  ok(7, 'ACTION_BLOCKED', ['rate_limit', 'action_blocked'], named(HOUR)),
  ok(9, 'IP_BLOCKED', ['channel', 'address_blocked'], ATTENTION),
  ok(100, 'PARAM_GROUP_ID : no such group', ['channel', 'chat_not_found'], ATTENTION),
  ok(455, 'FRIEND_RESTRICTION', ['channel', 'privacy_restricted'], ATTENTION),
  ok(1, 'UNKNOWN', ['platform', 'server_error'], DOUBT),
  ok(9999, 'SYSTEM : Critical system error', ['platform', 'server_error'], DOUBT),
];

/** Every row of networks.md §3 for answers of the networks' own APIs. */
export const REFUSALS: readonly FaultRow[] = [...TELEGRAM, ...VK, ...MAX, ...OK];

const HTML = '<html><body><h1>Service</h1></body></html>';
const unreadable = { category: 'platform', code: 'unreadable_answer', source: 'gateway' };
const lost = { category: 'network', code: 'connection_lost', source: 'gateway' };
const unread = { category: 'network', code: 'unreadable_refusal', source: 'gateway' };
/** The text of a page without its markup (D-35). */
const pageText = { platform_says: 'Service' };

/** Answers that no network's API gives; the same for each network. */
export const WRONG_ANSWERS: readonly Omit<FaultRow, 'network'>[] = [
  {
    what: 'HTML with 200',
    fault: { mode: 'answer', status: 200, body: HTML },
    error: { ...unreadable, ...pageText },
    expectedEnd: DOUBT,
  },
  {
    what: 'HTML with 502',
    fault: { mode: 'answer', status: 502, body: HTML },
    error: { ...unreadable, ...pageText },
    expectedEnd: DOUBT,
  },
  {
    what: 'HTML with 403',
    fault: { mode: 'answer', status: 403, body: HTML },
    error: { ...unread, ...pageText },
    expectedEnd: RETRIED,
  },
  {
    what: 'a redirect',
    fault: { mode: 'answer', status: 302, body: '', headers: { location: '/' } },
    error: unread,
    expectedEnd: RETRIED,
  },
  {
    what: '10 MB of refusal',
    fault: { mode: 'answer', status: 403, body: 'x'.repeat(10_485_760) },
    error: unread,
    expectedEnd: RETRIED,
  },
  {
    what: 'a refusal that breaks off',
    fault: { mode: 'answer', status: 404, body: HTML, cut_at: 6 },
    error: unread,
    expectedEnd: RETRIED,
  },
  { what: 'an empty 200', fault: { mode: 'answer', status: 200, body: '' }, error: unreadable, expectedEnd: DOUBT },
  {
    what: '200 with null',
    fault: { mode: 'answer', status: 200, body: 'null' },
    error: unreadable,
    expectedEnd: DOUBT,
  },
  {
    what: 'a list instead of an object',
    fault: { mode: 'answer', status: 200, body: '[]' },
    error: unreadable,
    expectedEnd: DOUBT,
  },
  {
    what: '204 without a body',
    fault: { mode: 'answer', status: 204, body: '' },
    error: unreadable,
    expectedEnd: DOUBT,
  },
  {
    what: 'an answer that breaks off',
    fault: { mode: 'accept_then_answer', status: 200, body: `{"ok":true,"response":{}${' '.repeat(100)}}`, cut_at: 20 },
    error: lost,
    expectedEnd: DOUBT,
  },
  {
    what: '10 MB of error',
    fault: { mode: 'answer', status: 500, body: 'x'.repeat(10_485_760) },
    error: lost,
    expectedEnd: DOUBT,
  },
  {
    what: '10 MB of success',
    fault: { mode: 'accept_then_answer', status: 200, body: `"${'x'.repeat(10_485_760)}"` },
    error: lost,
    expectedEnd: DOUBT,
  },
  {
    what: 'a connection that breaks before the answer',
    fault: { mode: 'drop_before_accepting' },
    error: lost,
    expectedEnd: DOUBT,
  },
  {
    what: 'a connection that breaks after the post is there',
    fault: { mode: 'accept_then_drop' },
    error: lost,
    expectedEnd: DOUBT,
  },
];

/** The visible call of a post with text only. */
export const VISIBLE_CALL: Readonly<Record<NetworkName, string>> = {
  telegram: 'sendMessage',
  vk: 'wall.post',
  max: 'POST /messages',
  ok: 'mediatopic.post',
};
