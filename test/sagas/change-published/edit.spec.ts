import { iso } from '../../../src/kernel/clock.js';
import { until } from '../../e2e/until.js';
import { GatewayHarness, type PublishingChannel } from '../publish-due-posts/gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start();
});
afterAll(() => harness.stop());

const read = (postId: string) => harness.gateway.manage('GET', `/posts/${postId}`);
const edit = (channel: PublishingChannel, postId: string, body: object, query = '') =>
  channel.endpoint.send('PUT', `posts/${postId}/content${query}`, body);
/** Waits until readers see the post's newest revision. */
const untilShown = (channel: PublishingChannel, postId: string, revision: number) =>
  until(`revision ${revision}`, async () => {
    const { body } = await channel.endpoint.readPost(postId);
    const [publication] = body.publications;
    return publication.content_version === revision && publication.edit === null && publication;
  });
interface Change {
  readonly kind: string;
  readonly message_id: string;
  readonly content?: { readonly text: string };
}

/** Lists the texts that readers see. */
const textsOf = async (channel: PublishingChannel): Promise<readonly unknown[]> => {
  const { items } = (await channel.network.request('GET', `changes?channel=${channel.chat}`)) as { items: Change[] };
  const edits = items.filter(({ kind }) => kind === 'edited');
  return (await channel.readWall()).map(
    ({ text, message_id }) => edits.findLast((edit) => edit.message_id === message_id)?.content?.text ?? text,
  );
};

describe('a published post that is edited', () => {
  it('shows the new text in the same message, and keeps every version', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'A tpyo', metadata: { id: 7 } });
    const published = await channel.waitForState(postId, 'published');
    const { status, body, headers } = await edit(channel, postId, { text: 'A typo' });
    expect([status, body]).toMatchObject([200, { ok: true, id: postId, revision: 2, state: 'released', warnings: [] }]);
    expect(headers.get('etag')).toBe('"2"');
    const shown = await untilShown(channel, postId, 2);
    expect(shown).toMatchObject({ state: 'published', message_ids: published.message_ids, edit: null });
    expect(shown.edited_at).not.toBeNull();
    expect(await textsOf(channel)).toEqual(['A typo']);
    const post = await read(postId);
    expect(post).toMatchObject({ revision: 2, payload: { text: 'A typo', metadata: { id: 7 } }, excerpt: 'A typo' });
    expect(await harness.readEventTypes(`publication-${published.id}`)).toEqual(
      expect.arrayContaining(['PublicationEditRequested', 'PublicationEdited']),
    );
  });

  it('answers the same content with the same revision, and another revision than the expected one with 412', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Same' });
    await channel.waitForState(postId, 'published');
    expect((await edit(channel, postId, { text: 'Same', trace_id: 'x' })).body).toMatchObject({
      revision: 1,
      warnings: [{ code: 'unused_field', path: 'trace_id' }],
    });
    const again = await channel.endpoint.send('PUT', `posts/${postId}/content`, { text: 'New' }, { 'if-match': '"3"' });
    expect([again.status, again.body.code]).toEqual([412, 'revision_mismatch']);
    expect((await edit(channel, postId, {})).status).toBe(422);
    expect(await textsOf(channel)).toEqual(['Same']);
  });

  it('shows the calls in a dry run, and changes nothing', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Before' });
    await channel.waitForState(postId, 'published');
    const { body, headers } = await edit(channel, postId, { text: 'After' }, '?dry_run=true');
    expect(body).toMatchObject({
      revision: 2,
      publications: [{ edit: { revision: 2, state: 'editing' }, requests: [{ method: 'editMessageText' }] }],
    });
    expect(headers.get('etag')).toBe('"2"');
    expect(await read(postId)).toMatchObject({ revision: 1, payload: { text: 'Before' } });
    expect(await textsOf(channel)).toEqual(['Before']);
  });

  it('refuses content that the messages cannot hold, before any call', async () => {
    const channel = await harness.createChannel('ok');
    const postId = await channel.publish({ text: 'On a network without edits' });
    await channel.waitForState(postId, 'published');
    const { status, body } = await edit(channel, postId, { text: 'Else' });
    expect([status, body.code]).toEqual([409, 'not_editable']);
    expect(body.details).toMatchObject([{ path: '' }, { path: channel.channelId, code: 'edit_unsupported' }]);
    expect(await read(postId)).toMatchObject({ revision: 1, payload: { text: 'On a network without edits' } });
  });

  it('publishes the newest content where nothing is published yet', async () => {
    const channel = await harness.createChannel('telegram');
    await harness.gateway.manage('POST', `/channels/${channel.channelId}/pause`, { minutes: 10 });
    const postId = await channel.publish({ text: 'Old' });
    expect((await edit(channel, postId, { text: 'Newer' })).body).toMatchObject({
      revision: 2,
      publications: [{ state: 'queued', edit: null, content_version: null }],
    });
    expect((await edit(channel, postId, { text: 'Newest' })).body.revision).toBe(3);
    await harness.gateway.manage('POST', `/channels/${channel.channelId}/resume`);
    await channel.waitForState(postId, 'published');
    expect(await textsOf(channel)).toEqual(['Newest']);
    expect(await untilShown(channel, postId, 3)).toMatchObject({ edited_at: null });
  });

  it('is edited after the attempt that is under way', async () => {
    const channel = await harness.createChannel('telegram');
    await channel.network.addFault({ mode: 'delay', delay_ms: 1_500, channel: channel.chat, method: 'sendMessage' });
    const postId = await channel.publish({ text: 'On its way' });
    await channel.waitForState(postId, 'publishing');
    const { body } = await edit(channel, postId, { text: 'Arrived' });
    expect(body.publications).toMatchObject([{ state: 'publishing', edit: { state: 'waiting', revision: 2 } }]);
    expect(await untilShown(channel, postId, 2)).toMatchObject({ state: 'published' });
    expect(await textsOf(channel)).toEqual(['Arrived']);
  });

  it('replaces the content of a planned post', async () => {
    const channel = await harness.createChannel('telegram');
    const publish_at = iso(Date.now() + 3_600_000);
    const postId = await channel.publish({ text: 'Later', publish_at });
    expect((await edit(channel, postId, { text: 'Much later' })).body).toMatchObject({ state: 'planned', revision: 2 });
    expect(await read(postId)).toMatchObject({ payload: { text: 'Much later' }, publish_at });
  });

  it('is tried again after an outage, and says so meanwhile', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Out' });
    await channel.waitForState(postId, 'published');
    const fault = { mode: 'drop_before_accepting', method: 'editMessageText', channel: channel.chat } as const;
    await channel.network.addFault({ ...fault, times: 1 });
    await edit(channel, postId, { text: 'In' });
    const waiting = await until('a failed try', async () => {
      const [publication] = (await read(postId)).publications;
      return publication.edit?.attempts > 0 && publication;
    });
    expect(waiting.edit).toMatchObject({ state: 'waiting', waiting_for: { rule: 'retry' }, attempts: 1 });
    await untilShown(channel, postId, 2);
    expect(await textsOf(channel)).toEqual(['In']);
  });

  it('says that a message is gone, and nothing is posted again', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Here' });
    await channel.waitForState(postId, 'published');
    const body = { ok: false, error_code: 400, description: 'Bad Request: message to edit not found' };
    await channel.network.addFault({ mode: 'answer', method: 'editMessageText', status: 400, body });
    await edit(channel, postId, { text: 'There' });
    const failed = await until('the failure', async () => {
      const [publication] = (await read(postId)).publications;
      return publication.edit?.state === 'failed' && publication;
    });
    expect(failed).toMatchObject({ state: 'published', content_version: 1, edit: { error: { code: 'message_gone' } } });
    expect(await channel.readWall()).toHaveLength(1);
    expect((await edit(channel, postId, { text: 'There' })).body).toMatchObject({ revision: 2 });
    await untilShown(channel, postId, 2);
  });

  it('needs its owner where posts need approval', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Approved' });
    await channel.waitForState(postId, 'published');
    await harness.gateway.manage('PATCH', `/endpoints/${channel.endpoint.id}`, { requires_approval: true });
    const { status, body } = await edit(channel, postId, { text: 'Not approved' });
    expect([status, body.code]).toEqual([409, 'approval_required']);
    const edited = await harness.gateway.manage('PUT', `/posts/${postId}/content`, { text: 'By the owner' });
    const [{ edit: open, content_version: shown }] = edited.publications;
    expect([edited.revision, open?.revision ?? shown]).toEqual([2, 2]); // the edit may be done before the answer is read
    await untilShown(channel, postId, 2);
    await harness.gateway.manage('PATCH', `/endpoints/${channel.endpoint.id}`, { allow_changes: false });
    expect((await edit(channel, postId, { text: 'No' })).body.code).toBe('changes_not_allowed');
  });

  it('ends with a take-back, after which nothing is left to edit', async () => {
    const channel = await harness.createChannel('telegram');
    const postId = await channel.publish({ text: 'Wrong' });
    await channel.waitForState(postId, 'published');
    const fault = { mode: 'drop_before_accepting', method: 'editMessageText', channel: channel.chat } as const;
    await channel.network.addFault({ ...fault, times: 5 });
    await edit(channel, postId, { text: 'Right' });
    await channel.endpoint.post(`posts/${postId}/withdraw`, {});
    await channel.waitForState(postId, 'withdrawn');
    const { status, body } = await edit(channel, postId, { text: 'Again' });
    expect([status, body.code]).toEqual([409, 'post_ended']);
  });
});

describe.each(['vk', 'max'] as const)('a post on %s', (platform) => {
  it('shows the new content in its place, and its pin', async () => {
    const channel = await harness.createChannel(platform);
    const postId = await channel.publish({ text: 'Boots for 9 roubles', pin: true });
    const published = await channel.waitForState(postId, 'published');
    await edit(channel, postId, { text: 'Boots for 99 roubles' });
    expect(await untilShown(channel, postId, 2)).toMatchObject({ message_ids: published.message_ids });
    await until('the pin', async () => (await read(postId)).publications[0].pinned);
    const seen = await channel.network.request('GET', `changes?channel=${channel.chat}`);
    const kinds = (seen as { items: Change[] }).items.map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['edited', 'pinned']);
    expect(await textsOf(channel)).toEqual(['Boots for 99 roubles']);
  });
});

it('says where a pin is not possible', async () => {
  const channel = await harness.createChannel('ok');
  const postId = await channel.publish({ text: 'On a network without pins', pin: true });
  expect(await channel.waitForState(postId, 'published')).toMatchObject({
    pinned: false,
    warnings: [expect.objectContaining({ code: 'pin_ignored' })],
  });
});
