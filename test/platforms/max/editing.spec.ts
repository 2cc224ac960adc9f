import { createMaxPublisher } from '../../../src/platforms/max/descriptor.js';
import type { PlatformPost, PublishedPost, SendContext } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { CHAT, startStandIn, TOKEN } from '../../stand-ins/max/stand-in.js';
import { editPost, publishForEdit } from '../edit-post.js';
import { mediaFolder } from '../media-files.js';
import { postOf } from '../publish-post.js';

const channel = { id: 'tgt_1', address: { chat_id: CHAT }, settings: {} };
let max: Awaited<ReturnType<typeof startStandIn>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
let publisher: ReturnType<typeof createMaxPublisher>;
beforeEach(async () => {
  max = await startStandIn();
  files = await mediaFolder();
  publisher = createMaxPublisher({ apiUrl: max.url });
});
afterEach(async () => {
  await max.stop();
  await publisher.close();
  expect(files.lent()).toBe(0);
  await files.remove();
});

const TYPES = { jpg: 'photo', mp4: 'video', mp3: 'audio' } as const;
const media = (...names: readonly string[]) =>
  names.map((name) => ({ type: TYPES[name.split('.')[1] as 'jpg'], url: `https://media.example/${name}` }));
const BUTTONS = [[{ text: 'Tides', url: 'https://example.com/' }]];
const contextFor = async (post: PlatformPost, more: Partial<SendContext> = {}) => {
  const paths = await Promise.all(post.media.map(({ url }) => files.make(new URL(url).pathname.slice(1))));
  const credentials = { access_token: TOKEN };
  const signal = new AbortController().signal;
  return { credentials, key: 'key', waits: {}, media: files.lending(paths), signal, ...more };
};
const publish = async (post: PlatformPost) => publishForEdit(publisher, post, channel, await contextFor(post));
const edit = async (published: PublishedPost, post: PlatformPost, more: Partial<SendContext> = {}) =>
  editPost(publisher, published, post, channel, await contextFor(post, more));
const seen = async () =>
  (await max.control.readMessages()).map(({ text, media: attached, buttons }) =>
    [text, attached.map(({ name }) => name), buttons.flat().map((button) => button.text)].flat().filter(Boolean),
  );
const editCalls = async () =>
  (await max.control.listCalls({ method: 'PUT /messages' })).items.map(({ request }) => request);

const TEXT = postOf({ text: 'Ahoy' });
const MIXED = postOf({ text: 'Boats', media: media('a.jpg', 'b.mp3', 'c.mp3'), buttons: BUTTONS });

describe('an edit (networks.md §10)', () => {
  it('of a text keeps media and buttons', async () => {
    const published = await publish(MIXED);
    const asked = files.requested.length;
    const entities = [{ type: 'bold', offset: 0, length: 5 }] as const;
    const { outcomes } = await edit(published, { ...MIXED, text: 'Ships', entities });
    expect(Object.values(outcomes)).toEqual([{ kind: 'done', result: {}, changed: true }]);
    expect(files.requested).toHaveLength(asked);
    expect(await editCalls()).toEqual([{ text: '<b>Ships</b>', format: 'html', attachments: null }]);
    expect(await seen()).toEqual([['Ships', 'a.jpg', 'Tides'], ['b.mp3'], ['c.mp3']]);
    const [mid] = published.messageIds;
    const one = await fetch(`${max.url}/messages/${mid}`, { headers: { authorization: TOKEN } });
    expect(await one.json()).toMatchObject({ body: { text: 'Ships', attachments: [{}, {}] } });
  });

  it('sends all attachments where one differs, uploading only new media', async () => {
    const published = await publish(MIXED);
    const kept = published.results['upload-0']?.['payload'];
    const first = await edit(published, { ...MIXED, media: media('d.mp4', 'a.jpg', 'b.mp3', 'c.mp3') });
    expect(Object.keys(first.outcomes)[0]).toBe('upload-0');
    expect(await editCalls()).toMatchObject([
      {
        text: 'Boats',
        attachments: [{ type: 'video' }, { type: 'image', payload: kept }, { type: 'inline_keyboard' }],
      },
    ]);
    const second = await edit(first.published, { ...MIXED, media: media('b.mp3', 'e.mp3'), buttons: [] });
    expect(await seen()).toEqual([['Boats'], ['b.mp3'], ['e.mp3']]);
    expect((await editCalls()).slice(1)).toMatchObject([{ attachments: [] }, { attachments: [{ type: 'audio' }] }]);
    await edit(second.published, { ...MIXED, text: '', media: media('a.jpg', 'b.mp3', 'e.mp3') });
    expect(await seen()).toEqual([['a.jpg', 'Tides'], ['b.mp3'], ['e.mp3']]);
  });

  it('of nothing makes no call, also after an edit', async () => {
    const published = await publish(MIXED);
    expect((await edit(published, { ...MIXED })).steps).toEqual([]);
    const changed = { ...MIXED, media: media('a.jpg', 'd.jpg', 'b.mp3', 'c.mp3') };
    const next = await edit(published, changed);
    expect((await edit(next.published, changed)).steps).toEqual([]);
    expect(await editCalls()).toHaveLength(1);
  });

  it('waits for an attachment that is not ready', async () => {
    const published = await publish(TEXT);
    await max.control.request('POST', 'not-ready', { times: 1 });
    const { outcomes } = await edit(published, { ...TEXT, media: media('a.jpg') });
    expect(outcomes[`edit-${published.messageIds[0]}`]).toMatchObject({ kind: 'retry', named: true });
  });

  it('shows a medium as a link where MAX refuses it, and keeps it so', async () => {
    const published = await publish(TEXT);
    await max.control.addFault({ mode: 'answer', method: 'POST /uploads', status: 413, body: { code: 'too.large' } });
    const first = await edit(published, { ...TEXT, media: media('a.mp4') });
    expect(first.warnings).toEqual(['media_as_link']);
    expect(await seen()).toEqual([['Ahoy\n\nhttps://media.example/a.mp4']]);
    await edit(first.published, { ...TEXT, text: 'New', media: media('a.mp4') });
    expect(await seen()).toEqual([['New\n\nhttps://media.example/a.mp4']]);
  });

  it('has one message where MAX refuses audio alone: the link is published once', async () => {
    const refused = { status: 400, body: { code: 'proto.payload', message: 'errors.process.attachment.bad' } };
    await max.control.addFault({ mode: 'answer', method: 'POST /messages', ...refused });
    const published = await publish(postOf({ media: media('a.mp3') }));
    expect(await seen()).toEqual([['https://media.example/a.mp3']]);
    await edit(published, postOf({ text: 'Horn', media: media('a.mp3') }));
    expect(await seen()).toEqual([['Horn\n\nhttps://media.example/a.mp3']]);
  });

  it('keeps what MAX refused a link: in the text, and in the message after it', async () => {
    const refused = { status: 400, body: { code: 'proto.payload', message: 'errors.process.attachment.bad' } };
    await max.control.addFault({ mode: 'answer', method: 'POST /messages', ...refused });
    const visual = postOf({ text: 'Film', media: media('a.mp4') });
    await edit(await publish(visual), { ...visual, text: 'Movie' });
    expect(await seen()).toEqual([['Movie\n\nhttps://media.example/a.mp4']]);

    const sound = postOf({ text: 'Horn', media: media('b.mp3') });
    const context = await contextFor(sound);
    await publisher.send(publisher.render(sound, channel).steps[0]!, { ...context, channel, results: {} });
    const before = { post: sound, messageIds: [] as string[] };
    const results: Record<string, SendContext['results'][string]> = {};
    for (const name of ['upload-0', 'message', 'audio-0', 'links']) {
      if (name === 'audio-0') await max.control.addFault({ mode: 'answer', method: 'POST /messages', ...refused });
      const step = publisher.render(sound, channel, results).steps.find((one) => one.name === name)!;
      const outcome = await publisher.send(step, { ...context, channel, results });
      if (outcome.kind !== 'done') throw new Error(name);
      before.messageIds.push(...outcome.messageIds);
      if (name !== 'links') results[name] = outcome.result;
    }
    const first = await edit({ ...before, results }, { ...sound, text: 'Bell' });
    expect((await seen()).slice(1)).toEqual([['Bell'], ['https://media.example/b.mp3']]);
    const second = await edit(first.published, { ...sound, text: 'Gong', media: media('c.jpg', 'b.mp3') });
    expect((await seen()).slice(1)).toEqual([['Gong', 'c.jpg'], ['https://media.example/b.mp3']]);
    expect((await edit(second.published, { ...sound, media: [] })).refusal).toMatchObject({ code: 'media_count' });
  });
});

const AUDIO = postOf({ media: media('a.mp3') });
it.each<readonly [string, PlatformPost, PlatformPost, string]>([
  ['a text for audio alone', AUDIO, { ...AUDIO, text: 'Horn' }, 'text_added'],
  ['buttons for audio alone', AUDIO, { ...AUDIO, buttons: BUTTONS }, 'text_added'],
  ['a photo for audio alone', AUDIO, postOf({ media: media('a.mp3', 'b.jpg') }), 'media_count'],
  ['an audio message more', MIXED, { ...MIXED, media: media('b.mp3', 'c.mp3', 'd.mp3') }, 'media_count'],
  ['an audio message less', MIXED, { ...MIXED, media: media('a.jpg', 'b.mp3') }, 'media_count'],
  ['audio without the text before', MIXED, postOf({ media: media('b.mp3', 'c.mp3') }), 'text_removed'],
  ['text and media: the text first', MIXED, postOf({ media: media('b.mp3') }), 'text_removed'],
  ['nothing at all', TEXT, postOf({ text: '\u200b' }), 'nothing_left'],
])('refuses %s before any call', async (_, before, after, code) => {
  const { refusal, outcomes } = await edit(await publish(before), after);
  expect(refusal).toMatchObject({ code, message: expect.stringMatching(/^[A-Z].*\.$/) as string });
  expect(outcomes).toEqual({});
});

it('refuses what is published in unknown messages', async () => {
  const unknown = { post: MIXED, results: {}, messageIds: ['mid.1'] };
  expect((await edit(unknown, TEXT)).refusal).toMatchObject({ code: 'refused' });
});

const answer = (status: number, code: string, message = '') => ({ status, body: { code, message } });
const cases: readonly (readonly [what: string, fault: Partial<Fault>, outcome: object])[] = [
  ['404 message.not.found', answer(404, 'message.not.found'), { kind: 'not_there' }],
  ['403 access.denied', answer(403, 'access.denied'), { kind: 'refused', error: { code: 'no_right_to_edit' } }],
  ['403 chat.denied', answer(403, 'chat.denied', 'error.chat.denied'), { kind: 'needs_attention' }],
  ['400', answer(400, 'proto.payload', 'words'), { kind: 'refused', error: { code: 'refused' } }],
  ['success: false', { status: 200, body: { success: false, message: 'words' } }, { error: { code: 'refused' } }],
  ['429', { ...answer(429, 'too.many.requests'), headers: { 'retry-after': '4' } }, { kind: 'retry', afterMs: 4_000 }],
  ['500', answer(500, 'internal'), { kind: 'retry', named: false }],
  ['an answer without success', { status: 200, body: {} }, { kind: 'retry', named: false }],
  ['no answer before', { mode: 'drop_before_accepting' }, { kind: 'retry', named: false }],
  ['no answer after', { mode: 'accept_then_drop' }, { kind: 'retry', named: false }],
];
it.each(cases)('an edit that MAX answers with %s', async (_, fault, outcome) => {
  const published = await publish(TEXT);
  const name = `edit-${published.messageIds[0]}`;
  await max.control.addFault({ mode: 'answer', method: 'PUT /messages', ...fault });
  expect((await edit(published, postOf({ text: 'New' }))).outcomes[name]).toMatchObject(outcome);
  expect((await edit(published, postOf({ text: 'New' }))).outcomes[name]).toMatchObject({ kind: 'done' });
});

it('finds a message that is gone, and needs the right', async () => {
  const published = await publish(TEXT);
  const [mid] = published.messageIds;
  await max.control.request('POST', 'chats', { chat_id: CHAT, may_edit: false });
  const { outcomes } = await edit(published, postOf({ text: 'New' }));
  expect(outcomes[`edit-${mid}`]).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_edit' } });
  await fetch(`${max.url}/messages?message_id=${mid}`, { method: 'DELETE', headers: { authorization: TOKEN } });
  expect((await edit(published, postOf({ text: 'New' }))).outcomes[`edit-${mid}`]).toEqual({ kind: 'not_there' });
});

it('forecasts what can be edited, and shows the requests before', async () => {
  expect(publisher.canEdit!(MIXED, channel)).toEqual({ edit: ['text', 'buttons', 'media'], text: null });
  const text = expect.stringContaining('only audio') as string;
  expect(publisher.canEdit!(AUDIO, channel)).toEqual({ edit: ['media'], text });
  const published = await publish(TEXT);
  const rendered = publisher.renderEdit!(published, { ...TEXT, media: media('a.jpg') }, channel);
  if ('refusal' in rendered) throw new Error(rendered.refusal.code);
  expect(rendered.steps.flatMap((step) => publisher.previewCalls(step, [])).map(({ method }) => method)).toEqual([
    'POST /uploads',
    'POST <url of POST /uploads>',
    'PUT /messages',
  ]);
});

describe('a pin', () => {
  const pin = async (id: string) =>
    publisher.pin!({ id, at: 0 }, { ...(await contextFor(TEXT)), channel, now: 0, minuteMs: 60_000 });

  it('is quiet, and of the message with the text', async () => {
    const published = await publish(MIXED);
    const id = publisher.messageToPin!(published, channel)!;
    expect(id).toBe(published.messageIds[0]);
    expect(await pin(id)).toEqual({ kind: 'done', result: {}, changed: true });
    const { items } = await max.control.listCalls({ method: 'PUT /chats/{chatId}/pin' });
    expect(items.map(({ request }) => request)).toEqual([{ message_id: id, notify: false }]);
    expect(await max.control.listChanges()).toMatchObject([{ kind: 'pinned', message_id: id }]);
  });

  it('of a message that is gone, and without the right', async () => {
    const [mid] = (await publish(TEXT)).messageIds;
    const [form, chat] = mid!.split('.');
    expect(await pin(`${form}.${chat}.9`)).toEqual({ kind: 'not_there' });
    await max.control.request('POST', 'chats', { chat_id: CHAT, may_pin: false });
    const outcome = await pin(mid!);
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_pin' } });
    expect(outcome.kind === 'refused' && outcome.error.message).toMatch(/right.*by hand/);
  });
});
