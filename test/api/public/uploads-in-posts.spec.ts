import { mkdtemp, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { addUpload, type TestUpload } from '../../support/add-upload.js';
import { type ReceivedDelivery, WebhookReceiver } from '../../support/webhook-receiver.js';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

let gateway: TestGateway;
let store: string;
let owner: string;
let channel: TestChannel;
let project: string;
let endpoint: TestEndpoint;
let photo: TestUpload;
let foreign: TestUpload;
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), 'uploads-in-posts-'));
  gateway = await TestGateway.start({ MEDIA_STORE: store, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  owner = await gateway.createOwner();
  channel = await gateway.createChannel(owner);
  project = await gateway.createProject(owner, [channel]);
  endpoint = await gateway.createEndpoint(owner, [project]);
  photo = await addUpload(gateway.aggregates, store, owner, png(10, 10));
  foreign = await addUpload(gateway.aggregates, store, await gateway.createOwner(), png(11, 11));
});
afterAll(async () => {
  await gateway.stop();
  await rm(store, { recursive: true });
});

const withMedia = (...media: object[]): object => ({ text: 'Ahoy', media });
const later = () => ({ publish_at: new Date(Date.now() + 3_600_000).toISOString() });
const readPost = (id: string) => gateway.manage('GET', `/posts/${id}`);

describe('a post with an uploaded file (D-90)', () => {
  it('is published from the store, without a download', async () => {
    const { status, body } = await endpoint.post('', { ...withMedia({ id: photo.id }), text: 'with a photo' });
    expect([status, body.code]).toEqual([200, undefined]);
    await gateway.waitForText(channel.chatId, 'with a photo');
    const [message] = (await gateway.telegram.readLedger({ channel: channel.chatId })).slice(-1);
    expect(message!.media).toHaveLength(1);
    expect(message!.media[0]).toMatchObject({ bytes: photo.bytes.length });
    expect((await readPost(body.id)).payload.media).toEqual([{ type: 'photo', id: photo.id }]);
  });

  const other = 'med_0195931f3c007000a00000000000000a';
  it.each([
    ['another owner’s', () => foreign.id],
    ['unknown', () => other],
    [
      'deleted',
      async () => {
        const gone = await addUpload(gateway.aggregates, store, owner, png(12, 12));
        await gone.delete();
        await until(
          'the file is gone',
          async () => (await endpoint.sandbox(withMedia({ id: gone.id }))).status === 422,
        );
        return gone.id;
      },
    ],
  ])('is refused if the id is %s', async (_, idOf) => {
    const id = await idOf();
    for (const answer of [
      await endpoint.post('', withMedia({ id })),
      await endpoint.sandbox(withMedia({ type: 'photo', id })),
      await endpoint.post('', { text: 'Ahoy', overrides: { telegram: { media: [{ id }] } } }),
    ]) {
      const { details } = answer.body;
      expect([answer.status, details]).toEqual([422, [expect.objectContaining({ code: 'unknown_media' })]]);
      expect(details[0].path).toMatch(/media\[0\]\.id$/);
    }
  });

  it('is refused with both url and id, or neither', async () => {
    const url = 'https://media.example/a.png';
    for (const medium of [{ type: 'photo' }, { type: 'photo', id: photo.id, url }])
      expect(await endpoint.post('', withMedia(medium))).toMatchObject({
        status: 422,
        body: { details: [{ path: 'media[0]', code: 'url_or_id' }] },
      });
  });

  it('is refused with a wrong type', async () => {
    expect(await endpoint.post('', withMedia({ type: 'video', id: photo.id }))).toMatchObject({
      status: 400,
      body: { details: [{ path: 'media[0].type', code: 'media_wrong_type' }] },
    });
  });

  it('is shown in the sandbox, with the id in place of the URL', async () => {
    const { status, body } = await endpoint.sandbox(withMedia({ id: photo.id }));
    expect(status).toBe(200);
    expect(body.validation.media).toEqual([{ id: photo.id, size_mb: expect.any(Number), ok: true }]);
    expect(JSON.stringify(body.preview.telegram)).toContain(`<file of ${photo.id}>`);
  });

  it('may be planned, changed, and edited by id', async () => {
    const second = await addUpload(gateway.aggregates, store, owner, png(13, 13));
    const { body } = await endpoint.post('', { ...withMedia({ id: photo.id }), ...later() });
    const path = `posts/${body.id}`;
    const needs = async (id: string) => (await gateway.manage('GET', `/posts/${body.id}`)) && usersOf(id);
    expect(await needs(photo.id)).toContain(body.id);
    const changed = await endpoint.send('PUT', path, { ...withMedia({ id: second.id }), ...later() });
    expect(changed.status).toBe(200);
    expect(await usersOf(second.id)).toEqual([body.id]);
    expect(await usersOf(photo.id)).not.toContain(body.id);
    expect(await endpoint.send('PUT', path, { ...withMedia({ id: foreign.id }), ...later() })).toMatchObject({
      status: 422,
      body: { details: [{ code: 'unknown_media' }] },
    });
    expect((await endpoint.send('PUT', `${path}/content`, withMedia({ id: photo.id }))).status).toBe(200);
    expect(await usersOf(photo.id)).toContain(body.id);
    expect(await usersOf(second.id)).toEqual([]);
  });

  it('shows another photo when it is edited, and keeps one with the same id', async () => {
    const second = await addUpload(gateway.aggregates, store, owner, png(14, 14));
    const { body } = await endpoint.post('', { ...withMedia({ id: photo.id }), text: 'to be edited' });
    await gateway.waitForText(channel.chatId, 'to be edited');
    const edit = async (text: string, id: string) => {
      expect((await endpoint.send('PUT', `posts/${body.id}/content`, { text, media: [{ id }] })).status).toBe(200);
      await until(`it reads "${text}"`, async () => (await readMessages()).some((each) => each.text === text));
      return (await readMessages()).find((each) => each.text === text)!;
    };
    expect((await edit('same photo', photo.id)).media[0]).toMatchObject({ bytes: photo.bytes.length });
    expect((await edit('other photo', second.id)).media[0]).toMatchObject({ bytes: second.bytes.length });
    await until('nothing needs the photos', async () => (await usersOf(second.id)).length === 0);
  });

  it('fails with media_gone if the store lacks the file', async () => {
    const lost = await addUpload(gateway.aggregates, store, owner, png(15, 15));
    await unlink(join(store, lost.file));
    const { body } = await endpoint.post('', withMedia({ id: lost.id }));
    const failed = await until('the publication has failed', async () => {
      const [publication] = (await readPost(body.id)).publications;
      return publication.state === 'failed' && publication;
    });
    expect(failed.attempts.at(-1).error).toMatchObject({ code: 'media_gone', category: 'media' });
    expect(failed.attempts.at(-1).error.message).toMatch(/^media\[0\]\.id /);
  });

  it('is a link where the network cannot show the file, which is then kept for readers, and webhooks have its id', async () => {
    const receiver = await WebhookReceiver.start();
    const output = { project_id: project, url: receiver.url, kinds: ['post.published'] };
    await gateway.manage('POST', '/webhook-outputs', output);
    const tall = await addUpload(gateway.aggregates, store, owner, png(5, 400), { width: 5, height: 400 });
    const { body } = await endpoint.post('', { text: 'too tall', media: [{ id: tall.id }] });
    await until('the link is published', async () =>
      (await readMessages()).some(({ text }) => text.startsWith('too tall') && text.includes(`/media/${tall.id}/`)),
    );
    const { body: file } = await gateway.callManagement('GET', `/media/${tall.id}`);
    const kept = await until('nothing but the link needs it', async () => {
      const answer = await gateway.callManagement('GET', `/media/${tall.id}`);
      return answer.body.kept_for === 'link' && answer.body;
    });
    expect(kept.expires_at).toBeNull();
    const [{ warnings }] = (await readPost(body.id)).publications;
    expect(warnings.map(({ code }: { code: string }) => code)).toEqual(['media_as_link', 'media_link_private']);
    const ofPost = ({ body: { data, post_id } }: ReceivedDelivery) => (data?.post_id ?? post_id) === body.id;
    const delivered = await until('the webhook is delivered', () => receiver.received.find(ofPost) ?? false);
    expect((delivered.body.data ?? delivered.body).media).toEqual([{ type: 'photo', id: tall.id, url: file.url }]);
    await receiver.close();
  });
});

const readMessages = () => gateway.telegram.readMessages({ channel: channel.chatId });

const usersOf = async (mediaId: string): Promise<readonly string[]> => {
  const { rows } = await gateway.pool.query<{ post_id: string }>(
    'select post_id from posts.media_use where media_id = $1 and open > 0 order by post_id',
    [mediaId],
  );
  return rows.map(({ post_id }) => post_id);
};
