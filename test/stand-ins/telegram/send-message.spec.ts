import { fetchBot, startStandIn, TOKEN } from './stand-in.js';

let telegram: Awaited<ReturnType<typeof startStandIn>>;
beforeAll(async () => {
  telegram = await startStandIn();
});
afterAll(() => telegram.stop());

const chat_id = '-1001234567890';
const send = (parameters: object) => telegram.call('sendMessage', { chat_id, ...parameters });
const bold = (offset: number, length: number) => ({ type: 'bold', offset, length });

describe('sendMessage', () => {
  it('answers with the message and records it in the ledger', async () => {
    const entities = [bold(0, 5), { type: 'text_link', offset: 6, length: 5, url: 'https://example.com/' }];
    const inline_keyboard = [[{ text: 'Go', url: 'https://example.com/go' }]];
    const { status, body } = await send({ text: 'Hello world', entities, reply_markup: { inline_keyboard } });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      result: {
        message_id: expect.any(Number),
        sender_chat: { id: -1001234567890, type: 'channel', title: 'Channel 1001234567890' },
        chat: { id: -1001234567890, type: 'channel', title: 'Channel 1001234567890' },
        date: expect.any(Number),
        text: 'Hello world',
        entities,
        reply_markup: { inline_keyboard },
      },
    });
    const [entry] = (await telegram.control.readLedger({ channel: chat_id })).slice(-1);
    expect(entry).toMatchObject({
      platform: 'telegram',
      channel: chat_id,
      message_id: String(body.result.message_id),
      text: 'Hello world',
      entities,
      buttons: inline_keyboard,
      media: [],
    });
    const { items } = await telegram.control.listCalls({ method: 'sendMessage' });
    expect(items.at(-1)).toMatchObject({ id: entry?.call_id, status: 200, channel: chat_id });
  });

  it('numbers the messages of each chat separately', async () => {
    const ids = [];
    for (const chat of ['@numbers_a', '@numbers_b', '@numbers_a']) {
      ids.push((await telegram.call('sendMessage', { chat_id: chat, text: 'x' })).body.result.message_id);
    }
    expect(ids).toEqual([1, 1, 2]);
  });

  it('accepts parameters in the query, a form, JSON or multipart', async () => {
    const url = `${telegram.url}/bot${TOKEN}/sendMessage`;
    const fields = { chat_id, text: 'in any form', entities: JSON.stringify([bold(0, 2)]) };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const answers = [
      await fetchBot(`${url}?${new URLSearchParams(fields).toString()}`),
      await fetchBot(url, { method: 'POST', body: new URLSearchParams(fields) }),
      await fetchBot(url, { method: 'POST', body: form }),
      await telegram.call('sendMessage', { ...fields, chat_id: Number(chat_id), entities: [bold(0, 2)] }),
      await telegram.call('SENDMESSAGE', fields),
    ];
    for (const { body } of answers) {
      expect(body).toMatchObject({ ok: true, result: { text: 'in any form', entities: [bold(0, 2)] } });
    }
  });

  it.each([
    ['white space at both ends', '  \n a b \n ', [], 'a b', []],
    ['white space at both ends, up to the first entity', ' \n a ', [bold(1, 3)], '\n a', [bold(0, 3)]],
    ['an entity that covers white space at the end', 'a b  ', [bold(0, 5)], 'a b', [bold(0, 3)]],
    ['control characters', 'a\tb\0c', [bold(2, 3)], 'a b c', [bold(2, 3)]],
    ['carriage returns', 'a\r\nb', [bold(3, 1)], 'a\nb', [bold(2, 1)]],
    ['direction marks that Telegram removes', 'a\u202eb', [bold(2, 1)], 'ab', [bold(1, 1)]],
  ])('cleans a text as the server does: %s', async (_, text, entities, cleaned, moved) => {
    const { body } = await send({ text, entities });
    expect(body).toMatchObject({ ok: true, result: { text: cleaned } });
    expect(body.result.entities ?? []).toEqual(moved);
  });

  it('ignores entities that it detects by itself, and drops those beyond a hundred', async () => {
    const text = 'ab '.repeat(120);
    const entities = Array.from({ length: 110 }, (_, index) => bold(index * 3, 2));
    const { body } = await send({ text, entities: [{ type: 'url', offset: 0, length: 2 }, ...entities] });
    expect(body.result.entities).toEqual(entities.slice(0, 100));
  });

  it('counts code points: 4096 emoji are a message, one more is not', async () => {
    expect((await send({ text: '😀'.repeat(4_096) })).status).toBe(200);
    expect(await send({ text: '😀'.repeat(4_097) })).toMatchObject({
      status: 400,
      body: { ok: false, error_code: 400, description: 'Bad Request: message is too long' },
    });
  });

  it.each([
    ['no text', {}, 'message text is empty'],
    ['an empty text', { text: '' }, 'message text is empty'],
    ['white space', { text: ' \n ' }, 'text must be non-empty'],
    ['a zero-width space', { text: '\u200b' }, 'text must be non-empty'],
    ['half an emoji', { text: 'a\ud83d' }, 'strings must be encoded in UTF-8'],
    ['over 32 KB', { text: 'x'.repeat(32_769) }, 'text is too long'],
    ['4097 letters', { text: 'x'.repeat(4_097) }, 'message is too long'],
  ])('rejects a text: %s', async (_, parameters, message) => {
    expect((await send(parameters)).body).toEqual({
      ok: false,
      error_code: 400,
      description: `Bad Request: ${message}`,
    });
  });

  it.each([
    ['after the text', [bold(5, 1)], 'entity begins after the end of the text at UTF-16 offset 5'],
    [
      'beyond the text',
      [bold(1, 9)],
      'entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 10',
    ],
    ['from the middle of an emoji', [bold(2, 2)], 'entity begins in a middle of a UTF-16 symbol at byte offset 5'],
    [
      'to the middle of an emoji',
      [bold(0, 2)],
      'entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5',
    ],
    ['before the text', [bold(-1, 2)], 'receive an entity with incorrect offset -1'],
    ['without a type', [{ offset: 0, length: 1 }], 'can\'t parse MessageEntity: Can\'t find field "type"'],
    ['without an offset', [{ type: 'bold', length: 1 }], 'can\'t parse MessageEntity: Can\'t find field "offset"'],
    [
      'of an unknown type',
      [{ type: 'marquee', offset: 0, length: 1 }],
      "can't parse MessageEntity: Unsupported type specified",
    ],
    ['that is not an object', ['bold'], "can't parse MessageEntity: expected an Object"],
    [
      'with an invalid link',
      [{ type: 'text_link', offset: 0, length: 1, url: 'ftp://example.com' }],
      "entity URL 'ftp://example.com' is invalid: Unsupported URL protocol",
    ],
  ])('rejects an entity %s', async (_, entities, message) => {
    // a😀bc: the emoji is units 1 and 2, bytes 1 to 4
    expect((await send({ text: 'a😀bc'.slice(0, 4), entities })).body.description).toBe(`Bad Request: ${message}`);
  });

  it.each([
    ['overlap', [bold(0, 3), { type: 'italic', offset: 1, length: 3 }]],
    [
      'a quote in a quote',
      [
        { type: 'blockquote', offset: 0, length: 4 },
        { type: 'expandable_blockquote', offset: 1, length: 2 },
      ],
    ],
    ['bold in code', [{ type: 'code', offset: 0, length: 4 }, bold(1, 1)]],
    ['code in bold', [bold(0, 4), { type: 'code', offset: 1, length: 1 }]],
    [
      'an emoji in a link',
      [
        { type: 'text_link', offset: 0, length: 4, url: 'https://example.com' },
        { type: 'custom_emoji', offset: 1, length: 2, custom_emoji_id: '1' },
      ],
    ],
  ])('rejects entities that do not nest: %s', async (_, entities) => {
    const { status, body } = await send({ text: 'abcd', entities });
    expect(status).toBe(400);
    expect(body.description).toMatch(/^Bad Request: can't parse entities: /);
  });

  it.each([
    ['bold in a quote in bold', [bold(0, 4), { type: 'blockquote', offset: 0, length: 4 }]],
    [
      'code in a quote',
      [
        { type: 'code', offset: 1, length: 2 },
        { type: 'blockquote', offset: 0, length: 4 },
      ],
    ],
    [
      'bold in a link in italic',
      [
        bold(1, 1),
        { type: 'text_link', offset: 0, length: 3, url: 'example.com' },
        { type: 'italic', offset: 0, length: 4 },
      ],
    ],
  ])('accepts nested entities: %s', async (_, entities) => {
    expect((await send({ text: 'abcd', entities })).status).toBe(200);
  });

  it.each([
    [
      'a host without a dot',
      'https://localhost',
      "inline keyboard button URL 'https://localhost' is invalid: Wrong HTTP URL",
    ],
    ['another scheme', 'ftp://a.b', "inline keyboard button URL 'ftp://a.b' is invalid: Unsupported URL protocol"],
    ['tg without a host', 'tg://', "inline keyboard button URL 'tg://' is invalid: URL host is empty"],
    ['a host with an invalid top-level domain', 'https://example.c0m/', 'BUTTON_URL_INVALID'],
    ['over 2048 characters', `https://example.com/${'x'.repeat(2_040)}`, 'BUTTON_URL_INVALID'],
    ['an empty URL', '', "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"],
  ])('rejects a button to %s', async (_, url, message) => {
    const { body } = await send({ text: 'x', reply_markup: { inline_keyboard: [[{ text: 'Go', url }]] } });
    expect(body.description).toBe(`Bad Request: ${message}`);
  });

  const button = { text: 'Go', url: 'https://example.com' };
  it.each([
    ['nine in a row', [Array(9).fill(button)]],
    ['over a hundred', Array(13).fill(Array(8).fill(button))],
  ])('rejects too many buttons: %s', async (_, inline_keyboard) => {
    const { body } = await send({ text: 'x', reply_markup: { inline_keyboard } });
    expect(body.description).toBe('Bad Request: reply markup is too long');
  });

  it.each([
    ['not JSON', 'inline', "can't parse reply keyboard markup JSON object"],
    ['not an object', [[]], 'object expected as reply markup'],
    [
      'not a list of rows',
      { inline_keyboard: [button] },
      'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
    ],
    [
      'a button without text',
      { inline_keyboard: [[{ url: 'https://a.b' }]] },
      'can\'t parse inline keyboard button: Can\'t find field "text"',
    ],
  ])('rejects a keyboard: %s', async (_, reply_markup, message) => {
    expect((await send({ text: 'x', reply_markup })).body.description).toBe(`Bad Request: ${message}`);
  });

  it('replies only to a message that exists', async () => {
    const { message_id } = (await send({ text: 'first' })).body.result;
    const reply = await send({ text: 'second', reply_parameters: { message_id } });
    expect(reply.body.result.reply_to_message.message_id).toBe(message_id);
    expect((await send({ text: 'third', reply_parameters: { message_id: 999_999 } })).body.description).toBe(
      'Bad Request: message to be replied not found',
    );
  });

  it('rejects a text that is none', async () => {
    expect((await send({ text: 5 })).body.description).toBe('Bad Request: text must be a String');
  });
});
