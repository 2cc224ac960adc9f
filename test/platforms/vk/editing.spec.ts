import type { PlatformPost, PublishedPost, SendContext } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { COMMUNITY_TOKEN, USER_TOKEN } from '../../stand-ins/vk/stand-in.js';
import { editPost, publishForEdit } from '../edit-post.js';
import { mediaError, mediaFolder } from '../media-files.js';
import { CHANNEL, contextFor, post, startVk, TEXT_ONLY_CHANNEL } from './vk-harness.js';

let vk: Awaited<ReturnType<typeof startVk>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
beforeEach(async () => {
  vk = await startVk();
  files = await mediaFolder();
});
afterEach(async () => {
  await vk.stop();
  expect(files.lent()).toBe(0);
  await files.remove();
});

const TYPES = { jpg: 'photo', mp4: 'video', mp3: 'audio' } as const;
const media = (...names: readonly string[]) =>
  names.map((name) => ({ type: TYPES[name.split('.')[1] as 'jpg'], url: `https://media.example/${name}` }));
const contextWith = async (content: PlatformPost, more: Partial<SendContext> = {}) => {
  const paths = await Promise.all(content.media.map(({ url }) => files.make(new URL(url).pathname.slice(1))));
  return contextFor({ media: files.lending(paths), ...more });
};
const publish = async (content: PlatformPost, more: Partial<SendContext> = {}) =>
  publishForEdit(vk.publisher, content, more.channel ?? CHANNEL, await contextWith(content, more));
const edit = async (published: PublishedPost, content: PlatformPost, more: Partial<SendContext> = {}) =>
  editPost(vk.publisher, published, content, more.channel ?? CHANNEL, await contextWith(content, more));
const seen = async () =>
  (await vk.control.readMessages()).map(({ text, media: attached }) => [text, ...attached.map(({ name }) => name)]);
const editCalls = async () =>
  (await vk.control.listCalls({ method: 'wall.edit' })).items.map(({ request }) => {
    const { access_token: _, v: __, ...rest } = request as Record<string, string>;
    return rest;
  });
const withoutUserToken = { credentials: { access_token: COMMUNITY_TOKEN }, channel: TEXT_ONLY_CHANNEL };

describe('an edit (networks.md §10)', () => {
  it('sends the text, with the user’s token', async () => {
    const { outcomes, published } = await edit(await publish(post()), post({ text: 'Ahoy there' }));
    expect(outcomes).toEqual({ edit: { kind: 'done', result: {}, changed: true } });
    expect(await editCalls()).toEqual([{ owner_id: '-7', post_id: '1', message: 'Ahoy there' }]);
    expect(await seen()).toEqual([['Ahoy there']]);
    expect((await vk.call('wall.get', { owner_id: '-7' })).response.items).toMatchObject([{ text: 'Ahoy there' }]);
    expect(published).toEqual({ post: post({ text: 'Ahoy there' }), results: {}, messageIds: ['1'] });
  });

  it('sends all attachments again, and uploads only new ones', async () => {
    const before = await publish(post({ media: media('a.jpg', 'b.mp4'), isAdvertisement: true }));
    const [photo] = Object.values(before.results).map(({ attachment }) => attachment as string);
    const asked = files.requested.length;
    // Whether it is an advertisement stays as it was.
    const first = await edit(before, post({ text: 'Ships', media: media('a.jpg', 'b.mp4') }));
    expect(files.requested).toHaveLength(asked);
    expect(await editCalls()).toMatchObject([{ message: 'Ships', mark_as_ads: '1' }]);
    const published = { ...first.published, post: { ...first.published.post, isAdvertisement: true } };
    const second = await edit(published, post({ text: 'Ships', media: media('c.jpg', 'a.jpg') }));
    expect(Object.keys(second.outcomes)).toEqual(['media-1', 'edit']);
    expect((await editCalls())[1]?.['attachments']).toMatch(new RegExp(`^photo1_\\d+_\\w+,${photo}$`));
    await edit(second.published, post({ text: 'Ships' }));
    expect((await editCalls())[2]).toMatchObject({ attachments: '' });
    expect(await seen()).toEqual([['Ships']]);
  });

  it('ignores buttons, as always, and neutralises mentions', async () => {
    const before = await publish(post());
    const buttons = [[{ text: 'Tides', url: 'https://example.com/' }]];
    const { warnings, steps } = await edit(before, post({ buttons }));
    expect([warnings, steps]).toEqual([['buttons_ignored'], []]);
    await edit(before, post({ text: '@id1 (Ahoy)' }));
    expect((await editCalls())[0]?.['message']).toBe('@\u200bid1 (Ahoy)');
  });

  it('makes no call where nothing differs, also after an edit', async () => {
    const content = post({ media: media('a.jpg', 'b.mp3') });
    const before = await publish(content);
    expect((await edit(before, { ...content })).steps).toEqual([]);
    const { published } = await edit(before, { ...content, text: 'New' });
    expect((await edit(published, { ...content, text: 'New' })).steps).toEqual([]);
    expect(await editCalls()).toHaveLength(1);
  });

  it('keeps links of media that were published without an upload token, and attachments without it', async () => {
    const linked = await publish(post({ media: media('a.jpg') }), withoutUserToken);
    expect(await seen()).toEqual([['Ahoy\n\nhttps://media.example/a.jpg']]);
    const { warnings } = await edit(linked, post({ text: 'New', media: media('a.jpg') }));
    expect(warnings).toEqual(['media_linked']);
    const attached = await publish(post({ media: media('b.jpg') }), { key: 'pub_2' });
    const lost = { credentials: { access_token: USER_TOKEN }, channel: TEXT_ONLY_CHANNEL };
    await edit(attached, post({ text: 'Newer', media: media('b.jpg', 'c.jpg') }), lost);
    expect((await seen()).map(([text]) => text)).toEqual([
      'New\n\nhttps://media.example/a.jpg',
      'Newer\n\nhttps://media.example/c.jpg',
    ]);
    expect((await editCalls())[1]?.['attachments']).toBe(attached.results['media-1']?.['attachment']);
  });

  it('links a medium that cannot be uploaded', async () => {
    const tooLarge = { media: async () => mediaError('media_too_large') };
    const { warnings } = await edit(await publish(post()), post({ media: media('a.jpg') }), tooLarge);
    expect(warnings).toEqual(['media_linked']);
    expect(await seen()).toEqual([['Ahoy\n\nhttps://media.example/a.jpg']]);
  });

  it('is refused if nothing is left', async () => {
    const buttons = [[{ text: 'Tides', url: 'https://example.com/' }]];
    const { refusal } = await edit(await publish(post()), post({ text: '', buttons }));
    expect(refusal).toMatchObject({ code: 'nothing_left' });
    const unknown = { post: post(), results: {}, messageIds: [] };
    expect((await edit(unknown, post({ text: 'New' }))).refusal).toMatchObject({ code: 'refused' });
    expect(await editCalls()).toEqual([]);
  });

  it('shows its requests before, with references to what will be uploaded', async () => {
    const before = await publish(post({ media: media('a.jpg') }));
    const content = post({ media: media('a.jpg', 'b.jpg') });
    const probed = content.media.map((medium) => ({ ...medium, sizeBytes: null, mime: null }));
    const rendered = vk.publisher.renderEdit!(before, content, CHANNEL, vk.publisher.forecastResults(probed));
    if ('refusal' in rendered) throw new Error(rendered.refusal.code);
    const calls = rendered.steps.flatMap((step) => vk.publisher.previewCalls(step, probed));
    expect(calls.map(({ method }) => method)).toEqual([
      'photos.getWallUploadServer',
      'POST <upload_url of photos.getWallUploadServer>',
      'photos.saveWallPhoto',
      'wall.edit',
    ]);
    expect(calls.at(-1)?.request['attachments']).toEqual([
      before.results['media-1']?.['attachment'],
      { $from: 'media-2.attachment' },
    ]);
  });
});

const refusal = (error_code: number, error_msg = 'words') => ({
  status: 200,
  body: { error: { error_code, error_msg } },
});
const cases: readonly (readonly [what: string, fault: Partial<Fault>, outcome: object])[] = [
  ['104', refusal(104), { kind: 'not_there' }],
  ['7', refusal(7), { kind: 'refused', error: { code: 'no_right_to_edit', category: 'channel' } }],
  ['703', refusal(703), { kind: 'refused', error: { code: 'no_right_to_edit' } }],
  ['15', refusal(15), { kind: 'refused', error: { code: 'no_right_to_edit' } }],
  ['1051', refusal(1_051), { kind: 'refused', error: { code: 'user_token_needed' } }],
  ['5', refusal(5), { kind: 'refused', error: { code: 'user_token_needed' } }],
  ['100', refusal(100), { kind: 'refused', error: { code: 'refused' } }],
  ['214', refusal(214), { kind: 'refused', error: { code: 'refused', platform_says: 'words' } }],
  ['125', refusal(125), { kind: 'needs_attention', error: { code: 'chat_not_found' } }],
  ['6', refusal(6), { kind: 'retry', named: true, afterMs: 1_000 }],
  ['10', refusal(10), { kind: 'retry', named: false }],
  ['another answer', { status: 200, body: { response: 1 } }, { kind: 'retry', named: false }],
  ['no answer before', { mode: 'drop_before_accepting' }, { kind: 'retry', named: false }],
  ['no answer after', { mode: 'accept_then_drop' }, { kind: 'retry', named: false }],
];
it.each(cases)('an edit that VK answers with %s', async (_, fault, outcome) => {
  const published = await publish(post());
  await vk.control.addFault({ mode: 'answer', method: 'wall.edit', ...fault });
  expect((await edit(published, post({ text: 'New' }))).outcomes['edit']).toMatchObject(outcome);
  expect((await edit(published, post({ text: 'New' }))).outcomes['edit']).toMatchObject({ kind: 'done' });
});

it.each([15, 100, 210])('%d for a post that was deleted: it is not there', async (code) => {
  const published = await publish(post());
  await vk.call('wall.delete', { owner_id: '-7', post_id: '1' });
  await vk.control.addFault({ mode: 'answer', method: 'wall.edit', ...refusal(code) });
  expect((await edit(published, post({ text: 'New' }))).outcomes['edit']).toEqual({ kind: 'not_there' });
});

it('says what to do where VK does not let a post be edited', async () => {
  const published = await publish(post());
  const byCommunity = await edit(published, post({ text: 'New' }), withoutUserToken);
  expect(byCommunity.outcomes['edit']).toMatchObject({ kind: 'refused', error: { code: 'user_token_needed' } });
  await vk.control.request('POST', 'groups', { group_id: '7', may_edit: false });
  expect((await edit(published, post({ text: 'New' }))).outcomes['edit']).toMatchObject({
    kind: 'refused',
    error: { code: 'no_right_to_edit', message: expect.stringContaining('take it back and send a new one') as string },
  });
});

it('forecasts what can be edited', () => {
  const text = expect.stringContaining('no buttons') as string;
  expect(vk.publisher.canEdit!(post(), CHANNEL)).toEqual({ edit: ['text', 'media'], text });
  expect(vk.publisher.canEdit!(post(), TEXT_ONLY_CHANNEL)).toEqual({
    edit: ['text'],
    text: expect.stringContaining('upload_token') as string,
  });
});

describe('a pin', () => {
  const pin = (id: string, more: Partial<SendContext> = {}) => {
    const { credentials, channel, signal } = contextFor(more);
    return vk.publisher.pin!({ id, at: 0 }, { credentials, channel, signal, now: 0, minuteMs: 60_000 });
  };

  it('replaces the pinned post', async () => {
    const published = await publish(post());
    await publish(post({ text: 'Second' }), { key: 'pub_2' });
    expect(vk.publisher.messageToPin!(published, CHANNEL)).toBe('1');
    expect(await pin('1')).toEqual({ kind: 'done', result: {}, changed: true });
    expect(await pin('2')).toMatchObject({ kind: 'done' });
    expect((await vk.control.listChanges()).map(({ kind, message_id }) => `${kind} ${message_id}`)).toEqual([
      'pinned 1',
      'unpinned 1',
      'pinned 2',
    ]);
    const { items } = (await vk.call('wall.get', { owner_id: '-7' })).response;
    expect(items).toMatchObject([{ id: 2, is_pinned: 1 }, { id: 1 }]);
  });

  it('of a post that is gone, without the role, and without a user’s token', async () => {
    await publish(post());
    expect(await pin('9')).toEqual({ kind: 'not_there' });
    expect(await pin('1', withoutUserToken)).toMatchObject({ kind: 'refused', error: { code: 'user_token_needed' } });
    await vk.control.request('POST', 'groups', { group_id: '7', state: 'not_manager' });
    const outcome = await pin('1');
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'no_right_to_pin' } });
    expect(outcome.kind === 'refused' && outcome.error.message).toMatch(/pin this post by hand/);
  });
});
