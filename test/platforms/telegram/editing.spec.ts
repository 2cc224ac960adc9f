import type { PlatformPost, PublishedPost, SendContext } from '../../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../../src/platforms/telegram/descriptor.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { startStandIn, TOKEN } from '../../stand-ins/telegram/stand-in.js';
import { editPost, publishForEdit } from '../edit-post.js';
import { mediaError, mediaFolder } from '../media-files.js';
import { postOf } from '../publish-post.js';

const CHAT = '@harbour';
const channel = { id: 'tgt_1', address: { chat_id: CHAT }, settings: {} };
let telegram: Awaited<ReturnType<typeof startStandIn>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
let publisher: ReturnType<typeof createTelegramPublisher>;
beforeEach(async () => {
  telegram = await startStandIn();
  files = await mediaFolder();
  publisher = createTelegramPublisher({ apiUrl: telegram.url });
});
afterEach(async () => {
  await telegram.stop();
  await publisher.close();
  expect(files.lent()).toBe(0);
  await files.remove();
});

const TYPES = { jpg: 'photo', mp4: 'video', mov: 'video', mp3: 'audio', ogg: 'audio' } as const;
const media = (...names: readonly string[]) =>
  names.map((name) => ({ type: TYPES[name.split('.')[1] as 'jpg'], url: `https://media.example/${name}` }));
const BUTTONS = [[{ text: 'Tides', url: 'https://example.com/' }]];
const OTHER_BUTTONS = [[{ text: 'Charts', url: 'https://example.com/charts' }]];

const contextFor = async (post: PlatformPost, more: Partial<SendContext> = {}) => {
  const paths = await Promise.all(post.media.map(({ url }) => files.make(new URL(url).pathname.slice(1))));
  const credentials = { bot_token: TOKEN };
  const signal = new AbortController().signal;
  return { credentials, key: 'key', waits: {}, media: files.lending(paths), signal, ...more };
};
const publish = async (post: PlatformPost) => publishForEdit(publisher, post, channel, await contextFor(post));
const edit = async (published: PublishedPost, post: PlatformPost, more: Partial<SendContext> = {}) =>
  editPost(publisher, published, post, channel, await contextFor(post, more));
const seen = async () =>
  (await telegram.control.readMessages()).map(({ text, media: [medium], buttons }) =>
    [medium?.name ?? medium?.type, text, buttons.flat().map((button) => button.text)].flat().filter(Boolean),
  );
const editCalls = async () =>
  (await telegram.control.listCalls()).items.map(({ method }) => method).filter((method) => /^edit/.test(method));

describe('an edit (networks.md §10)', () => {
  it('of a message changes text, formatting and buttons in one call', async () => {
    const published = await publish(postOf({ text: 'Ahoy', buttons: BUTTONS }));
    const post = postOf({
      text: 'Ahoy there',
      entities: [{ type: 'bold', offset: 0, length: 4 }],
      buttons: OTHER_BUTTONS,
    });
    const { outcomes } = await edit(published, post);
    expect(outcomes).toEqual({ 'edit-1': { kind: 'done', result: {}, changed: true } });
    expect(await seen()).toEqual([['Ahoy there', 'Charts']]);
    const { items } = await telegram.control.listCalls({ method: 'editMessageText' });
    expect(items.map(({ request }) => request)).toEqual([
      {
        chat_id: CHAT,
        message_id: 1,
        text: 'Ahoy there',
        entities: [{ type: 'bold', offset: 0, length: 4 }],
        reply_markup: { inline_keyboard: OTHER_BUTTONS },
      },
    ]);
  });

  it('removes buttons, and adds them', async () => {
    let { published } = await edit(await publish(postOf({ text: 'Ahoy', buttons: BUTTONS })), postOf({ text: 'Ahoy' }));
    expect(await seen()).toEqual([['Ahoy']]);
    ({ published } = await edit(published, postOf({ text: 'Ahoy', buttons: OTHER_BUTTONS })));
    expect(await seen()).toEqual([['Ahoy', 'Charts']]);
    await edit(published, postOf({ buttons: OTHER_BUTTONS }));
    expect(await seen()).toEqual([['🔗', 'Charts']]);
  });

  it('trims a text for a message, as always', async () => {
    const { warnings } = await edit(await publish(postOf({ text: 'Ahoy' })), postOf({ text: 'note '.repeat(1_000) }));
    expect(warnings).toEqual(['text_trimmed']);
    expect((await seen())[0]?.[0]).toMatch(/^note .*…$/);
  });

  it('of nothing makes no call', async () => {
    const post = postOf({ text: 'Ahoy', media: media('a.jpg', 'b.jpg') });
    expect(await edit(await publish(post), { ...post })).toMatchObject({ steps: [], outcomes: {} });
    expect(await editCalls()).toEqual([]);
  });

  it('of a caption makes no download', async () => {
    const published = await publish(postOf({ text: 'Boat', media: media('a.jpg'), buttons: BUTTONS }));
    const asked = files.requested.length;
    await edit(published, postOf({ text: 'Ship', media: media('a.jpg') }));
    expect(await seen()).toEqual([['a.jpg', 'Ship']]);
    expect(files.requested).toHaveLength(asked);
    await edit(published, postOf({ media: media('a.jpg') }));
    expect(await seen()).toEqual([['a.jpg']]);
    expect(await editCalls()).toEqual(['editMessageCaption', 'editMessageCaption']);
  });

  it('replaces one medium by any other, with its caption and buttons', async () => {
    const published = await publish(postOf({ text: 'Boat', media: media('a.jpg') }));
    const { outcomes } = await edit(published, postOf({ text: 'Horn', media: media('b.mp3'), buttons: BUTTONS }));
    expect(Object.keys(outcomes)).toEqual(['media', 'edit-1']);
    expect(await seen()).toEqual([['b.mp3', 'Horn', 'Tides']]);
    expect(await editCalls()).toEqual(['editMessageMedia']);
  });

  it('of an album changes only the items that differ, and the caption of the first', async () => {
    const published = await publish(postOf({ text: 'Boats', media: media('a.jpg', 'b.jpg', 'c.mp4') }));
    const first = await edit(published, postOf({ text: 'Ships', media: media('a.jpg', 'd.mp4', 'c.mp4') }));
    expect(Object.keys(first.outcomes)).toEqual(['media', 'edit-1', 'edit-2']);
    expect(await seen()).toEqual([['a.jpg', 'Ships'], ['d.mp4'], ['c.mp4']]);
    await edit(first.published, postOf({ media: media('c.mp4', 'd.mp4', 'a.jpg') }));
    expect(await seen()).toEqual([['c.mp4'], ['d.mp4'], ['a.jpg']]);
    expect(await editCalls()).toEqual([
      'editMessageCaption',
      'editMessageMedia',
      'editMessageMedia',
      'editMessageMedia',
    ]);
  });

  it('of media with a text below changes each where it is, also when the text would fit a caption', async () => {
    const published = await publish(postOf({ text: 'Boats', media: media('a.jpg', 'b.jpg'), buttons: BUTTONS }));
    const first = await edit(published, postOf({ text: 'Ships', media: media('a.jpg', 'c.jpg') }));
    expect(await seen()).toEqual([['a.jpg'], ['c.jpg'], ['Ships']]);
    const long = `${'long '.repeat(300)}end`;
    const second = await edit(first.published, postOf({ text: long, media: media('a.jpg', 'c.jpg') }));
    expect(Object.keys(second.outcomes)).toEqual(['edit-3']);
    await edit(second.published, postOf({ text: 'Short', media: media('a.jpg', 'c.jpg'), buttons: BUTTONS }));
    expect(await seen()).toEqual([['a.jpg'], ['c.jpg'], ['Short', 'Tides']]);
  });

  it('keeps photos, audio and files in their own messages', async () => {
    const published = await publish(postOf({ text: 'All', media: media('a.jpg', 'b.mp3', 'c.ogg') }));
    await edit(published, postOf({ text: 'All', media: media('d.ogg', 'e.jpg', 'b.mp3') }));
    expect(await seen()).toEqual([['e.jpg'], ['b.mp3'], ['d.ogg'], ['All']]);
  });

  it('keeps what became a link a link', async () => {
    const big = postOf({ text: 'Film', media: media('a.mp4') });
    const context = await contextFor(big, { media: async () => mediaError('media_too_large') });
    const published = await publishForEdit(publisher, big, channel, context);
    expect(await seen()).toEqual([['Film\n\nhttps://media.example/a.mp4']]);
    const { warnings } = await edit(published, postOf({ text: 'Movie', media: media('a.mp4') }));
    expect(await seen()).toEqual([['Movie\n\nhttps://media.example/a.mp4']]);
    expect(warnings).toEqual(['media_as_link']);
    await edit(published, postOf({ text: 'Movie' }));
    expect(await seen()).toEqual([['Movie']]);
  });

  it('that finds a new medium too large is refused before any call', async () => {
    const published = await publish(postOf({ text: 'Boat', media: media('a.jpg') }));
    const tooLarge = { media: async () => mediaError('media_too_large') };
    const { refusal, outcomes } = await edit(published, postOf({ text: 'Boat', media: media('b.mp4') }), tooLarge);
    expect(refusal?.code).toBe('media_count');
    expect(Object.keys(outcomes)).toEqual(['media']);
    expect(await editCalls()).toEqual([]);
  });

  it('that cannot fetch a new medium is tried again, or refused', async () => {
    const published = await publish(postOf({ text: 'Boat', media: media('a.jpg') }));
    const post = postOf({ text: 'Boat', media: media('b.jpg') });
    const failing = (code: string) => edit(published, post, { media: async () => mediaError(code) });
    expect((await failing('media_unreachable')).outcomes).toMatchObject({
      media: { kind: 'refused', error: { code: 'refused', category: 'media' } },
    });
    const busy = async () => ({ ...mediaError('media_busy'), category: 'network' as const });
    expect((await edit(published, post, { media: busy })).outcomes).toMatchObject({ media: { kind: 'retry' } });
  });
});

const LONG = 'x'.repeat(1_025);
const TEXT = postOf({ text: 'Ahoy' });
const ALBUM = postOf({ text: 'Boats', media: media('a.jpg', 'b.jpg') });
const ONE = postOf({ text: 'Boat', media: media('a.jpg') });
const BELOW = postOf({ text: 'Boats', media: media('a.jpg', 'b.jpg'), buttons: BUTTONS });

it.each<readonly [string, PlatformPost, PlatformPost, string]>([
  ['a message without its text', TEXT, postOf({ media: media('a.jpg') }), 'text_removed'],
  ['a message with a medium', TEXT, postOf({ text: 'Ahoy', media: media('a.jpg') }), 'media_added'],
  ['nothing at all', TEXT, postOf({ text: '\u200b' }), 'nothing_left'],
  ['a long caption', ONE, { ...ONE, text: LONG }, 'caption_too_long'],
  ['a medium more', ONE, { ...ONE, media: media('a.jpg', 'b.jpg') }, 'media_count'],
  ['a medium removed', ONE, postOf({ text: 'Boat' }), 'media_count'],
  ['a long caption of an album', ALBUM, { ...ALBUM, text: LONG }, 'caption_too_long'],
  ['an album with buttons', ALBUM, { ...ALBUM, buttons: BUTTONS }, 'album_buttons'],
  ['an album with an item less', ALBUM, { ...ALBUM, media: media('a.jpg') }, 'media_count'],
  ['an album with an item more', ALBUM, { ...ALBUM, media: media('a.jpg', 'b.jpg', 'c.jpg') }, 'media_count'],
  ['audio in an album of photos', ALBUM, { ...ALBUM, media: media('a.jpg', 'b.mp3') }, 'media_kind'],
  ['a file in an album of photos', ALBUM, { ...ALBUM, media: media('a.jpg', 'b.mov') }, 'media_kind'],
  ['a photo in an album of audio', postOf({ media: media('a.mp3', 'b.mp3') }), ALBUM, 'media_kind'],
  ['media without the text below', BELOW, postOf({ media: BELOW.media }), 'text_removed'],
  ['a medium less above a text', BELOW, { ...BELOW, media: media('a.jpg') }, 'media_count'],
  ['text, buttons and media: the text first', ALBUM, postOf({ text: LONG, buttons: BUTTONS }), 'caption_too_long'],
  ['buttons and media: the buttons first', ALBUM, postOf({ text: 'a', buttons: BUTTONS }), 'album_buttons'],
])('refuses %s before any call', async (_, before, after, code) => {
  const { refusal, outcomes } = await edit(await publish(before), after);
  expect(refusal).toMatchObject({ code, message: expect.stringMatching(/^[A-Z].*\.$/) as string });
  expect(outcomes).toEqual({});
  expect(await editCalls()).toEqual([]);
});

it('refuses what is published in unknown messages', () => {
  const published = { post: ALBUM, results: {}, messageIds: ['1'] };
  expect(publisher.renderEdit!(published, TEXT, channel)).toMatchObject({ refusal: { code: 'refused' } });
});

const answer = (error_code: number, description: string) => ({
  status: error_code,
  body: { ok: false, error_code, description },
});
const cases: readonly (readonly [what: string, fault: Partial<Fault>, outcome: object, changed: number])[] = [
  ['not modified', answer(400, 'Bad Request: message is not modified: …'), { kind: 'done', changed: false }, 0],
  ['not found', answer(400, 'Bad Request: message to edit not found'), { kind: 'not_there' }, 0],
  ["can't be edited", answer(400, "Bad Request: message can't be edited"), { error: { code: 'no_right_to_edit' } }, 0],
  ['too long', answer(400, 'Bad Request: MESSAGE_TOO_LONG'), { kind: 'refused', error: { code: 'refused' } }, 0],
  [
    'another refusal',
    answer(400, 'Bad Request: something new'),
    {
      kind: 'refused',
      error: {
        code: 'refused',
        message: expect.stringMatching(/by hand/) as string,
        platform_says: 'Bad Request: something new',
      },
    },
    0,
  ],
  ['429', answer(429, 'Too Many Requests: retry after 7'), { kind: 'retry', named: true, afterMs: 7_000 }, 0],
  ['500', answer(500, 'Internal Server Error'), { kind: 'retry', named: false }, 0],
  ['401', answer(401, 'Unauthorized'), { kind: 'needs_attention', error: { category: 'credentials' } }, 0],
  ['kicked', answer(403, 'Forbidden: bot was kicked from the channel chat'), { kind: 'needs_attention' }, 0],
  ['an answer without a message', { status: 200, body: { ok: true, result: true } }, { kind: 'retry' }, 0],
  ['no answer before', { mode: 'drop_before_accepting' }, { kind: 'retry', named: false, afterMs: null }, 0],
  ['no answer after', { mode: 'accept_then_drop' }, { kind: 'retry', named: false, afterMs: null }, 1],
];
it.each(cases)('an edit that Telegram answers with %s', async (_, fault, outcome, changed) => {
  const published = await publish(TEXT);
  await telegram.control.addFault({ mode: 'answer', method: 'editMessageText', ...fault });
  expect((await edit(published, postOf({ text: 'New' }))).outcomes['edit-1']).toMatchObject(outcome);
  expect(await telegram.control.listChanges()).toHaveLength(changed);
});

it('repeats an edit without an answer: nothing differs any more', async () => {
  const published = await publish(TEXT);
  await telegram.control.addFault({ mode: 'accept_then_drop', method: 'editMessageText' });
  await edit(published, postOf({ text: 'New' }));
  expect((await edit(published, postOf({ text: 'New' }))).outcomes['edit-1']).toMatchObject({ changed: false });
});

it('edits only what the bot sent, and what is still there', async () => {
  const published = await publish(TEXT);
  const other = { credentials: { bot_token: `8${TOKEN}` } };
  expect((await edit(published, postOf({ text: 'New' }), other)).outcomes['edit-1']).toMatchObject({
    kind: 'refused',
    error: { code: 'no_right_to_edit', category: 'channel' },
  });
  const malformed = { credentials: { bot_token: 'x' } };
  expect((await edit(published, postOf({ text: 'New' }), malformed)).outcomes['edit-1']).toMatchObject({
    error: { code: 'malformed_token' },
  });
  await telegram.call('deleteMessage', { chat_id: CHAT, message_id: 1 });
  expect((await edit(published, postOf({ text: 'New' }))).outcomes['edit-1']).toEqual({ kind: 'not_there' });
});

it('shows on the wall what is edited, and that it is', async () => {
  await edit(await publish(ALBUM), { ...ALBUM, text: 'Ships' });
  const { posts } = (await (await fetch(`${telegram.url}/wall.json`)).json()) as { posts: { html: string }[] };
  expect(posts).toHaveLength(1);
  expect(posts[0]?.html).toContain('Ships');
  expect(posts[0]?.html).toContain('edited');
});

it('shows the requests of an edit before it is made, with placeholders for files', async () => {
  const published = await publish(ALBUM);
  const post = { ...ALBUM, media: media('a.jpg', 'c.jpg') };
  const probed = post.media.map((medium) => ({ ...medium, sizeBytes: null, mime: null }));
  const rendered = publisher.renderEdit!(published, post, channel, publisher.forecastResults(probed));
  if ('refusal' in rendered) throw new Error(rendered.refusal.code);
  expect(rendered.steps.flatMap((step) => publisher.previewCalls(step, probed))).toEqual([
    {
      method: 'editMessageMedia',
      request: {
        chat_id: CHAT,
        message_id: 2,
        media: { type: 'photo', media: 'attach://photo-1', caption: '' },
        'photo-1': '<file of https://media.example/c.jpg>',
      },
    },
  ]);
});

it('forecasts what can be edited', () => {
  const forecast = (post: PlatformPost) => publisher.canEdit!(post, channel);
  expect(forecast(TEXT)).toEqual({ edit: ['text', 'buttons'], text: expect.stringContaining('no media') as string });
  expect(forecast(ONE)).toEqual({ edit: ['text', 'buttons', 'media'], text: null });
  expect(forecast(ALBUM)).toEqual({ edit: ['text', 'media'], text: expect.stringContaining('buttons') as string });
  expect(forecast(BELOW)).toEqual({ edit: ['text', 'buttons', 'media'], text: null });
});

describe('a pin', () => {
  const pin = (id: string) =>
    publisher.pin!(
      { id, at: Date.now() },
      {
        credentials: { bot_token: TOKEN },
        channel,
        signal: new AbortController().signal,
        now: Date.now(),
        minuteMs: 60_000,
      },
    );

  it('is quiet, and of the message with the text', async () => {
    const published = await publish(BELOW);
    const id = publisher.messageToPin!(published, channel)!;
    expect(id).toBe('3');
    expect(await pin(id)).toEqual({ kind: 'done', result: {}, changed: true });
    expect(await pin(id)).toMatchObject({ kind: 'done' });
    expect(await telegram.control.listChanges()).toMatchObject([{ kind: 'pinned', message_id: '3' }]);
    const { items } = await telegram.control.listCalls({ method: 'pinChatMessage' });
    expect(items[0]?.request).toEqual({ chat_id: CHAT, message_id: 3, disable_notification: true });
    const { posts } = (await (await fetch(`${telegram.url}/wall.json`)).json()) as { posts: { html: string }[] };
    expect(posts.at(-1)?.html).toContain('pinned');
  });

  it('is of the first message where no message is of text alone', async () => {
    expect(publisher.messageToPin!(await publish(ALBUM), channel)).toBe('1');
  });

  it('of a message that is gone, and without the right', async () => {
    await publish(TEXT);
    expect(await pin('7')).toEqual({ kind: 'not_there' });
    await telegram.control.request('POST', 'chats', { chat_id: CHAT, may_pin: false });
    const outcome = await pin('1');
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_pin' } });
    expect(outcome.kind === 'refused' && outcome.error.message).toMatch(/right.*by hand/);
    await telegram.control.addFault({
      mode: 'answer',
      method: 'pinChatMessage',
      ...answer(400, 'Bad Request: something'),
    });
    expect(await pin('1')).toMatchObject({ kind: 'refused', error: { code: 'refused' } });
  });
});
