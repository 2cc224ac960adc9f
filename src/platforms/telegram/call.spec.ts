import { classify as classifyCall, type TelegramFailure } from './call.js';

type Refusal = Extract<TelegramFailure, { kind: 'refused' }>;

const CALL = { visible: true, waits: {}, credentials: {} };
const classify = (failure: TelegramFailure) => classifyCall(failure, CALL);

const refused = (errorCode: number, description: string, more: Partial<Refusal> = {}) =>
  classify({
    kind: 'refused',
    method: 'sendMessage',
    errorCode,
    description,
    parameters: {},
    retryAfter: undefined,
    ...more,
  });

const errorOf = (outcome: ReturnType<typeof classify>) => ('error' in outcome ? outcome.error : undefined);

describe('a refusal by Telegram (networks.md §3)', () => {
  it.each([
    ['in the parameters', { parameters: { retry_after: 7 } }, 'Too Many Requests: retry after 7', 7_000],
    ['in the header', { retryAfter: '12' }, 'Too Many Requests', 12_000],
    ['in words', {}, 'Too Many Requests: retry after 3', 3_000],
    [
      'in all three places, with the parameters first',
      { parameters: { retry_after: 5 }, retryAfter: '9' },
      'retry after 1',
      5_000,
    ],
    ['nowhere', {}, 'Too Many Requests', null],
    ['in a header that is not a number', { retryAfter: 'soon' }, 'Too Many Requests', null],
  ])('429 is a delay that the network requires (D-20), given %s', (_, more, description, afterMs) => {
    const outcome = refused(429, description, more);
    expect(outcome).toMatchObject({ kind: 'retry', named: true, afterMs });
    expect(errorOf(outcome)).toMatchObject({ code: 'too_many_requests', category: 'rate_limit', source: 'telegram' });
  });

  it.each([-1001234567890, '-1001234567890'])('a moved chat has a new address: %p', (migrate_to_chat_id) => {
    const words = 'Bad Request: group chat was upgraded to a supergroup chat';
    const outcome = refused(400, words, { parameters: { migrate_to_chat_id } });
    expect(outcome).toEqual({ kind: 'moved', address: { chat_id: '-1001234567890' }, platform_says: words });
  });

  it.each([
    [401, 'Unauthorized', 'unauthorized'],
    [401, 'Unauthorized: invalid token specified', 'unauthorized'],
    [404, 'Not Found', 'bot_not_found'],
  ])('%i %s means that the credentials are refused (D-26)', (code, description, named) => {
    expect(refused(code, description)).toMatchObject({
      kind: 'needs_attention',
      error: { code: named, category: 'credentials', platform_says: description },
    });
  });

  it.each([
    [403, 'Forbidden: bot was kicked from the channel chat', 'forbidden'],
    [403, 'Forbidden: bot is not a member of the channel chat', 'forbidden'],
    [403, 'Forbidden: bot was blocked by the user', 'forbidden'],
    [403, 'Forbidden: not enough rights to send text messages to the chat', 'no_right_to_post'],
    [400, 'Bad Request: chat not found', 'chat_not_found'],
    [400, 'Bad Request: PEER_ID_INVALID', 'chat_not_found'],
    [400, 'Bad Request: need administrator rights in the channel chat', 'no_right_to_post'],
    [400, 'Bad Request: not enough rights to send text messages to the chat', 'no_right_to_post'],
    [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'no_right_to_post'],
    [400, 'Bad Request: CHAT_SEND_PLAIN_FORBIDDEN', 'no_right_to_post'],
    [400, 'Bad Request: chat_id is empty', 'chat_not_found'],
    [400, 'Bad Request: group chat was deactivated', 'chat_unusable'],
  ])('%i %s means that no later post can survive either (D-50)', (code, description, named) => {
    expect(refused(code, description)).toMatchObject({
      kind: 'needs_attention',
      error: { code: named, category: 'channel', platform_says: description },
    });
  });

  it.each([
    [400, 'Bad Request: not enough rights to send photos to the chat', 'no_right_to_post', 'media'],
    [400, 'Bad Request: CHAT_SEND_VIDEOS_FORBIDDEN', 'no_right_to_post', 'media'],
    [400, 'Bad Request: message is too long', 'too_long', 'payload'],
    [400, 'Bad Request: MEDIA_CAPTION_TOO_LONG', 'too_long', 'payload'],
    [400, 'Bad Request: BUTTON_URL_INVALID', 'bad_button', 'payload'],
    [400, "Bad Request: inline keyboard button URL 'x' is invalid: Wrong HTTP URL", 'bad_button', 'payload'],
    [400, 'Bad Request: entity begins after the end of the text at UTF-16 offset 9', 'bad_entity', 'payload'],
    [400, "Bad Request: can't parse MessageEntity: Unsupported type specified", 'bad_entity', 'payload'],
    [400, 'Bad Request: wrong type of the web page content', 'media_refused', 'media'],
    [400, 'Bad Request: PHOTO_INVALID_DIMENSIONS', 'media_refused', 'media'],
    [400, 'Bad Request: text must be non-empty', 'empty_text', 'payload'],
    [413, 'Request Entity Too Large', 'media_too_large', 'media'],
    [404, 'Not Found: method not found', 'method_not_found', 'internal'],
    [400, '', 'refused', 'payload'],
  ])('%i %s is permanent', (code, description, named, category) => {
    expect(refused(code, description)).toMatchObject({ kind: 'failed', error: { code: named, category } });
  });

  it.each([500, 502, 503, 504])('%i may have been executed', (code) => {
    expect(refused(code, 'Internal Server Error')).toMatchObject({ kind: 'in_doubt', error: { code: 'server_error' } });
  });

  it.each([
    ['PHOTO_INVALID_DIMENSIONS', 'failed', 'media_refused'],
    ['not enough rights to send photos to the chat', 'failed', 'no_right_to_post'],
    ['Have no write access to the chat', 'needs_attention', 'no_right_to_post'],
    ['FILE_PARTS_INVALID', 'failed', 'upload_failed'],
    ['Something unheard of', 'failed', 'refused'],
    ['Message was not sent', 'in_doubt', 'album_incomplete'],
    ['Too Many Requests: retry after 5', 'in_doubt', 'album_incomplete'],
  ])('an album that failed because of "%s": the cause decides', (cause, kind, code) => {
    const description = `Bad Request: failed to send message #3 with the error message "${cause}"`;
    expect(refused(400, description)).toMatchObject({ kind, error: { code, platform_says: description } });
  });

  it('an album of which nothing was sent is retried; without a cause it is in doubt', () => {
    expect(refused(400, 'Bad Request: group send failed')).toMatchObject({ kind: 'retry', named: false });
    const outcome = refused(400, 'Bad Request: failed to send message #2');
    expect(outcome).toMatchObject({ kind: 'in_doubt', error: { code: 'album_incomplete' } });
  });

  it("keeps at most 500 characters of the network's words", () => {
    expect(errorOf(refused(400, 'x'.repeat(900)))?.platform_says).toHaveLength(500);
  });
});

describe('an unreadable response', () => {
  it.each([0, 200, 201, 500, 502, 503, 504])('with status %i may have been executed (D-25)', (status) => {
    expect(classify({ kind: 'unreadable', status, retryAfter: undefined })).toMatchObject({
      kind: 'in_doubt',
      error: { code: 'unreadable_answer', source: 'gateway' },
    });
  });

  it.each([301, 400, 403, 404, 418])('with status %i was refused by an intermediary and may be retried', (status) => {
    expect(classify({ kind: 'unreadable', status, retryAfter: undefined })).toMatchObject({
      kind: 'retry',
      named: false,
      afterMs: null,
    });
  });

  it('with status 429 is a delay of the length in the header', () => {
    expect(classify({ kind: 'unreadable', status: 429, retryAfter: '4' })).toMatchObject({
      kind: 'retry',
      named: true,
      afterMs: 4_000,
    });
    expect(classify({ kind: 'unreadable', status: 429, retryAfter: undefined })).toMatchObject({ afterMs: null });
  });

  it('with status 413 is too large', () => {
    expect(classify({ kind: 'unreadable', status: 413, retryAfter: undefined })).toMatchObject({
      kind: 'failed',
      error: { code: 'media_too_large' },
    });
  });
});

describe('a connection', () => {
  it.each([
    ['timed_out', 'timed_out'],
    ['aborted', 'aborted'],
    ['ECONNRESET', 'connection_lost'],
  ])('that is lost after the call was sent (%s) leaves it in doubt', (code, named) => {
    expect(classify({ kind: 'lost', status: null, code, detail: 'words' })).toMatchObject({
      kind: 'in_doubt',
      error: { code: named, category: 'network', source: 'gateway' },
    });
  });

  it.each([
    ['ECONNREFUSED', 'not_sent'],
    ['ENOTFOUND', 'not_sent'],
    ['timed_out', 'not_sent'],
    ['aborted', 'aborted'],
  ])('that was never established (%s) permits a retry', (code, named) => {
    expect(classify({ kind: 'never_sent', code, detail: 'words' })).toMatchObject({
      kind: 'retry',
      named: false,
      afterMs: null,
      error: { code: named, category: 'network' },
    });
  });
});
