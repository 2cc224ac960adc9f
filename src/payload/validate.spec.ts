import { createAddressPolicy } from '../outbound-http/url-rules.js';
import { ENTITY_TYPES, LIMITS } from './payload.js';
import { validatePayload } from './validate.js';

/** Returns one line such as `422 media[0].url wrong_type` per problem; empty for a valid payload. */
const found = (payload: unknown): string[] => {
  const result = validatePayload(payload);
  return result.ok ? [] : result.problems.map(({ path, code }) => `${result.status} ${path} ${code}`);
};
const messages = (payload: unknown) => validatePayload(payload).problems.map(({ message }) => message);
const with_ = (fields: object) => ({ text: 'hello', ...fields });

const bold = { type: 'bold', offset: 0, length: 5 };
const photo = { type: 'photo', url: 'https://example.org/a.jpg' };
const button = { text: 'Open', url: 'https://example.org/' };
const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const urlOf = (length: number) => 'https://example.org/'.padEnd(length, 'x');

describe('a valid payload', () => {
  const full = {
    text: 'hello 😀',
    entities: [
      bold,
      { type: 'text_link', offset: 0, length: 5, url: 'http://example.org/' },
      { type: 'custom_emoji', offset: 6, length: 2, custom_emoji_id: '5368324170671202286' },
    ],
    media: [
      photo,
      { type: 'video', url: 'https://example.org/b.mp4' },
      { type: 'audio', url: 'https://example.org/c.mp3' },
    ],
    buttons: [[button, { text: 'Chat', url: 'tg://resolve?domain=example' }], [button]],
    is_advertisement: false,
    ad_pause_minutes: 0,
    ad_target_pause_minutes: 1_440,
    targets: [{ id: 'tgt_2' }, { id: 'tgt_1' }],
    external_id: 'a-1',
    trace_id: '',
    metadata: { any: [{ thing: null }] },
  };

  it('is returned field by field', () => {
    expect(validatePayload(full)).toEqual({ ok: true, payload: full, problems: [] });
  });

  it.each([
    ['text', { text: 'a' }],
    ['media', { media: [photo] }],
    ['buttons', { buttons: [[button]] }],
  ])('needs nothing but %s', (_, payload) => {
    expect(validatePayload(payload)).toEqual({ ok: true, payload, problems: [] });
  });

  it('loses null, empty and unknown fields (D-43)', () => {
    const sent = {
      text: 'pre',
      entities: [{ type: 'pre', offset: 0, length: 3, language: 'ts', url: null, custom_emoji_id: 'x', extra: 1 }],
      media: [],
      buttons: [[], []],
      targets: [],
      external_id: '',
      trace_id: null,
      metadata: null,
      is_advertisement: null,
      ad_pause_minutes: null,
      polls: [1],
    };
    expect(validatePayload(sent)).toEqual({
      ok: true,
      payload: { text: 'pre', entities: [{ type: 'pre', offset: 0, length: 3, language: 'ts' }] },
      problems: [],
    });
    expect(validatePayload({ text: ' \u200b\n', entities: [{ ...bold, length: 1 }], media: [photo] })).toEqual({
      ok: true,
      payload: { media: [photo] },
      problems: [],
    });
    expect(validatePayload({ buttons: [[], [button], []] })).toMatchObject({ payload: { buttons: [[button]] } });
  });

  it('keeps the fields of an entity that its type has', () => {
    const entity = { ...bold, url: 'https://example.org/', language: 'ts', custom_emoji_id: '1' };
    const result = validatePayload(with_({ entities: [entity] }));
    expect(result.ok && result.payload.entities).toEqual([bold]);
  });

  it('has each target once', () => {
    const targets = [{ id: 'tgt_b' }, { id: 'tgt_a', name: 'x' }, { id: 'tgt_b' }];
    expect(validatePayload(with_({ targets }))).toMatchObject({
      payload: { targets: [{ id: 'tgt_b' }, { id: 'tgt_a' }] },
    });
  });
});

describe('nothing to publish (422)', () => {
  it.each([
    {},
    { text: null },
    { text: '' },
    { text: ' \n\u00a0\u200b\u2060' },
    { media: [] },
    { buttons: [] },
    { buttons: [[], []] },
    { metadata: {} },
  ])('%j', (payload) => expect(found(payload)).toEqual(['422  nothing_to_publish']));

  it.each([
    [{ txt: 'Ahoy' }, /; txt is not a field: did you mean text\?$/],
    [{ text: '', medai: [], foo: 1 }, /; medai is not a field: did you mean media\?; foo is not a field$/],
    [{}, /has nothing to publish: send text, media or buttons$/],
  ])('%j names the unknown fields and the nearest known ones', (payload, message) => {
    expect(validatePayload(payload).problems[0]?.message).toMatch(message);
  });

  it.each([null, 'text', 5, true, [], [{ text: 'a' }]])('%j is not an object', (payload) => {
    expect(found(payload)).toEqual(['422  wrong_type']);
  });
});

describe('the schema (422), at its edges', () => {
  it.each<[string, object, string[]]>([
    ['text of 15,895 units', { text: '😀'.repeat(7_947) + 'x' }, []],
    ['text of 15,896 units', { text: '😀'.repeat(7_948) }, ['text too_long']],
    ['text that is none', { text: 5 }, ['text wrong_type']],
    ['a text of lines', { text: ['a'] }, ['text wrong_type']],
    ['10 media', { media: many(10, photo) }, []],
    ['11 media', { media: many(11, photo) }, ['media too_many']],
    ['a text that is an empty list', { text: [], media: [photo] }, ['text wrong_type']],
    ['media that are an empty text', { media: '' }, ['media wrong_type']],
    ['media that are no list', { media: photo }, ['media wrong_type']],
    ['a medium that is none', { media: [photo, null] }, ['media[1] wrong_type']],
    ['a medium that is its URL', { media: [photo.url] }, ['media[0] wrong_type']],
    ['a medium without a type', { media: [{ url: photo.url }] }, ['media[0].type missing']],
    ['a medium without URL and id', { media: [{ type: 'photo' }] }, ['media[0] url_or_id']],
    ['a medium with a null URL', { media: [{ type: 'photo', url: null }] }, ['media[0] url_or_id']],
    ['a medium with both', { media: [{ ...photo, id: 'med_1' }] }, ['media[0] url_or_id']],
    ['an unknown medium', { media: [{ ...photo, type: 'sticker' }] }, ['media[0].type unknown_value']],
    ['a medium’s type in capitals', { media: [{ ...photo, type: 'Photo' }] }, ['media[0].type unknown_value']],
    ['a URL that is no text', { media: [{ ...photo, url: 1 }] }, ['media[0].url wrong_type']],
    ['8 rows of 8 buttons', { buttons: many(8, many(8, button)) }, []],
    ['9 rows', { buttons: many(9, [button]) }, ['buttons too_many']],
    ['9 buttons in a row', { buttons: [[button], many(9, button)] }, ['buttons[1] too_many']],
    ['buttons without rows', { buttons: [button] }, ['buttons[0] wrong_type']],
    ['buttons that are no list', { buttons: {} }, ['buttons wrong_type']],
    ['a button that is none', { buttons: [[button, 'x']] }, ['buttons[0][1] wrong_type']],
    ['a button without text', { buttons: [[{ url: button.url }]] }, ['buttons[0][0].text missing']],
    ['a button with an empty text', { buttons: [[{ ...button, text: '' }]] }, ['buttons[0][0].text empty']],
    ['a button with an unseen text', { buttons: [[{ ...button, text: '\u2060 ' }]] }, ['buttons[0][0].text empty']],
    ['a button without a URL', { buttons: [[{ text: 'a' }]] }, ['buttons[0][0].url missing']],
    ['a button of http', { buttons: [[{ ...button, url: 'http://example.org/' }]] }, ['buttons[0][0].url url_scheme']],
    ['a button of script', { buttons: [[{ ...button, url: 'javascript:x' }]] }, ['buttons[0][0].url url_scheme']],
    ['a button with half a URL', { buttons: [[{ ...button, url: 'https://' }]] }, ['buttons[0][0].url url_invalid']],
    ['a button’s URL of 2,048', { buttons: [[{ ...button, url: urlOf(2_048) }]] }, []],
    ['a button’s URL of 2,049', { buttons: [[{ ...button, url: urlOf(2_049) }]] }, ['buttons[0][0].url url_too_long']],
    ['entities that are no list', { entities: bold }, ['entities wrong_type']],
    ['an entity that is none', { entities: ['bold'] }, ['entities[0] wrong_type']],
    [
      'an entity of nothing',
      { entities: [{}] },
      ['entities[0].type missing', 'entities[0].offset missing', 'entities[0].length missing'],
    ],
    ['an unknown entity', { entities: [{ ...bold, type: 'h1' }] }, ['entities[0].type unknown_value']],
    ['an entity from -1', { entities: [{ ...bold, offset: -1 }] }, ['entities[0].offset out_of_range']],
    ['an entity of no length', { entities: [{ ...bold, length: 0 }] }, ['entities[0].length out_of_range']],
    ['half an offset', { entities: [{ ...bold, offset: 0.5 }] }, ['entities[0].offset wrong_type']],
    ['an offset in quotes', { entities: [{ ...bold, offset: '0' }] }, ['entities[0].offset wrong_type']],
    ['a link without a URL', { entities: [{ ...bold, type: 'text_link' }] }, ['entities[0].url missing']],
    [
      'a link that is a script',
      { entities: [{ ...bold, type: 'text_link', url: 'JavaScript:x' }] },
      ['entities[0].url url_scheme'],
    ],
    [
      'a link without a scheme',
      { entities: [{ ...bold, type: 'text_link', url: 'example.org' }] },
      ['entities[0].url url_scheme'],
    ],
    ['a link for mail', { entities: [{ ...bold, type: 'text_link', url: 'mailto:a@example.org' }] }, []],
    [
      'a link of nothing but a scheme',
      { entities: [{ ...bold, type: 'text_link', url: 'tel:' }] },
      ['entities[0].url url_invalid'],
    ],
    ['a link in Telegram', { entities: [{ ...bold, type: 'text_link', url: 'tg://user?id=1' }] }, []],
    ['a URL that is no text, of bold', { entities: [{ ...bold, url: 1 }] }, ['entities[0].url wrong_type']],
    [
      'an emoji without its id',
      { entities: [{ ...bold, type: 'custom_emoji' }] },
      ['entities[0].custom_emoji_id missing'],
    ],
    [
      'an emoji with an empty id',
      { entities: [{ ...bold, type: 'custom_emoji', custom_emoji_id: '' }] },
      ['entities[0].custom_emoji_id empty'],
    ],
    [
      'a language that is no text',
      { entities: [{ ...bold, type: 'pre', language: 1 }] },
      ['entities[0].language wrong_type'],
    ],
    ['yes for true', { is_advertisement: 'yes' }, ['is_advertisement wrong_type']],
    ['1 for true', { is_advertisement: 1 }, ['is_advertisement wrong_type']],
    ['a pause of 1,440', { ad_pause_minutes: 1_440, ad_target_pause_minutes: 0 }, []],
    ['a pause of 1,441', { ad_pause_minutes: 1_441 }, ['ad_pause_minutes out_of_range']],
    ['a pause of -1', { ad_target_pause_minutes: -1 }, ['ad_target_pause_minutes out_of_range']],
    ['half a minute', { ad_pause_minutes: 0.5 }, ['ad_pause_minutes wrong_type']],
    ['minutes in quotes', { ad_pause_minutes: '5' }, ['ad_pause_minutes wrong_type']],
    ['targets that are no list', { targets: 'tgt_1' }, ['targets wrong_type']],
    ['targets by their ids', { targets: ['tgt_1'] }, ['targets[0] wrong_type']],
    ['a target without an id', { targets: [{ id: 'tgt_1' }, {}] }, ['targets[1].id missing']],
    ['a target with an empty id', { targets: [{ id: '' }] }, ['targets[0].id empty']],
    ['a target with a number', { targets: [{ id: 1 }] }, ['targets[0].id wrong_type']],
    ['an external id of 128', { external_id: '😀'.repeat(128) }, []],
    ['an external id of 129', { external_id: 'x'.repeat(129) }, ['external_id too_long']],
    ['an external id that is a number', { external_id: 1 }, ['external_id wrong_type']],
    ['a trace id of 1,024', { trace_id: 'x'.repeat(1_024) }, []],
    ['a trace id of 1,025', { trace_id: 'x'.repeat(1_025) }, ['trace_id too_long']],
    ['a trace id that is an object', { trace_id: {} }, ['trace_id wrong_type']],
    ['metadata that are a list', { metadata: [] }, ['metadata wrong_type']],
    ['metadata that are text', { metadata: '{}' }, ['metadata wrong_type']],
  ])('%s', (_, fields, expected) => {
    expect(found(with_(fields))).toEqual(expected.map((problem) => `422 ${problem}`));
  });

  it.each(ENTITY_TYPES)('accepts the entity %s', (type) => {
    const entity = { ...bold, type, url: 'https://example.org/', custom_emoji_id: '1' };
    expect(found(with_({ entities: [entity] }))).toEqual([]);
  });
});

describe('content (400)', () => {
  it.each<[string, object, string[]]>([
    ['a document', { media: [{ ...photo, type: 'document' }] }, ['media[0].type document_not_supported']],
    ['plain http', { media: [photo, { ...photo, url: 'http://example.org/' }] }, ['media[1].url url_not_https']],
    ['an empty URL', { media: [{ ...photo, url: '' }] }, ['media[0].url url_not_https']],
    ['a media URL of 2,048', { media: [{ ...photo, url: urlOf(2_048) }] }, []],
    ['a media URL of 2,049', { media: [{ ...photo, url: urlOf(2_049) }] }, ['media[0].url url_too_long']],
    ['a private address', { media: [{ ...photo, url: 'https://10.0.0.1/a.jpg' }] }, ['media[0].url private_address']],
    ['an entity outside the text', { entities: [{ ...bold, length: 6 }] }, ['entities[0].length entity_out_of_range']],
    [
      'an entity behind the text',
      { entities: [bold, { ...bold, offset: 5 }] },
      ['entities[1].offset entity_out_of_range'],
    ],
    [
      'entities without text',
      { text: '', media: [photo], entities: [bold] },
      ['entities[0].offset entity_out_of_range'],
    ],
    [
      'an entity in a character',
      { text: '😀', entities: [{ ...bold, offset: 1, length: 1 }] },
      ['entities[0].offset entity_splits_character'],
    ],
    [
      'entities that cross',
      {
        entities: [
          { ...bold, length: 3 },
          { ...bold, type: 'italic', offset: 2, length: 3 },
        ],
      },
      ['entities[1] entities_nest_wrongly'],
    ],
  ])('%s', (_, fields, expected) => {
    expect(found(with_(fields))).toEqual(expected.map((problem) => `400 ${problem}`));
  });

  it('may be on private addresses that the policy allows', () => {
    const local = { media: [{ type: 'photo', url: 'http://127.0.0.1:8080/a.jpg' }] };
    expect(found(local)).toEqual(['400 media[0].url url_not_https']);
    expect(validatePayload(local, createAddressPolicy(['127.0.0.0/8']))).toEqual({
      ok: true,
      payload: local,
      problems: [],
    });
  });

  it('is checked among the items that satisfy the schema, with indices kept', () => {
    expect(
      found(with_({ entities: [{ type: 'bold' }, { ...bold, offset: 9 }], media: [{ type: 'document' }] })),
    ).toEqual([
      '422 entities[0].offset missing',
      '422 entities[0].length missing',
      '422 entities[1].offset entity_out_of_range',
      '422 media[0] url_or_id',
      '422 media[0].type document_not_supported',
    ]);
    expect(found({ text: 5, entities: [bold] })).toEqual(['422 text wrong_type']);
  });
});

describe('answers', () => {
  it('name the field, the problem and the correction', () => {
    expect(
      messages({ text: 'x'.repeat(15_901), ad_pause_minutes: 2_000, trace_id: ['a'], targets: ['tgt_1'] }),
    ).toEqual([
      'text is 15,901 UTF-16 units long; at most 15,895 are allowed: shorten it by 6',
      'ad_pause_minutes must be from 0 to 1440, not 2000',
      'trace_id must be a string, not an array',
      'targets[0] must be an object, not the string "tgt_1"',
    ]);
    expect(messages(with_({ media: [{ type: 'gif' }], buttons: [[{ text: 'a', url: 'ftp://x' }]] }))).toEqual([
      'media[0].type must be photo, video or audio, not the string "gif"',
      'media[0] names no file: send url, or the id of an uploaded file',
      'buttons[0][0].url must begin with https:// or tg://',
    ]);
  });

  it('never repeat long values, nor fill in text that looks like a placeholder', () => {
    const long = '$value $property $constraint1 $& '.repeat(10_000);
    const [message] = messages(with_({ media: [{ ...photo, type: long }] }));
    expect(message).toBe(`media[0].type must be photo, video or audio, not the string "${long.slice(0, 40)}"…`);
  });

  it('contain fifty problems, and are 422 even if the fifty-first is the first schema problem', () => {
    const outside = many(60, { ...bold, offset: 100 });
    expect(found(with_({ entities: outside }))).toEqual(
      many(50, 0).map((_, i) => `400 entities[${i}].offset entity_out_of_range`),
    );
    const mixed = validatePayload(with_({ entities: outside, targets: [1] }));
    expect(mixed).toMatchObject({ ok: false, status: 422 });
    expect(mixed.problems).toHaveLength(50);
    expect(mixed.problems.at(-1)).toMatchObject({ path: 'targets[0]', code: 'wrong_type' });
  });

  it('need not read a whole list to decide', () => {
    expect(found({ targets: many(1_000_000, 0) })).toHaveLength(50);
    expect(found({ media: many(1_000_000, 0) })).toHaveLength(LIMITS.media + 1);
    expect(found({ buttons: many(1_000_000, 0) })).toHaveLength(LIMITS.buttonRows + 1);
  });
});
