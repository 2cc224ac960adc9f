import type { PublicationPostponed } from '../../src/domain/publication/publication.events.js';
import { type S3StandIn, startS3StandIn } from '../../stand-ins/s3/s3-stand-in.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { png } from '../media/make-images.js';
import { makeVideo } from '../media/make-videos.js';
import { NETWORK_NAMES } from '../platforms/wire/networks.js';
import { MovableClock, PublishingHarness } from '../sagas/publish-due-posts/publishing-harness.js';
import type { TestChannel } from '../sagas/publish-due-posts/test-channel.js';

const clock = new MovableClock();
let server: S3StandIn;
let harness: PublishingHarness;
beforeAll(async () => {
  server = await startS3StandIn();
  harness = await PublishingHarness.start({
    MEDIA_STORE: `s3://${server.bucket}/files`,
    MEDIA_S3_ENDPOINT: server.url,
    MEDIA_S3_ACCESS_KEY_ID: server.accessKeyId,
    MEDIA_S3_SECRET_ACCESS_KEY: server.secretAccessKey,
  });
  await harness.startWorker({ clock });
});
afterAll(async () => {
  await harness.stop();
  await server.stop();
  expect(server.refused).toEqual([]);
});

const upload = async ({ channelId }: TestChannel, bytes: Buffer): Promise<string> => {
  const { owner_id } = await harness.manage.get<{ owner_id: string }>(`/channels/${channelId}`);
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/octet-stream' };
  const init = { method: 'POST', headers, body: new Uint8Array(bytes) };
  const answer = await fetch(`${harness.url}/manage/v1/media?owner_id=${owner_id}`, init);
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
};

describe.each(NETWORK_NAMES)('an uploaded file on %s (D-90)', (network) => {
  it('is published from the store, a photo and a video', async () => {
    const channel = await harness.createChannel(network);
    const files = [
      ['photo', png(8, 8)],
      ['video', makeVideo({ seconds: 3 })],
    ] as const;
    for (const [type, bytes] of files) {
      const publication = await channel.publish({ text: type, media: [{ id: await upload(channel, bytes) }] });
      await channel.waitForState(publication, 'published');
      const shown = (await channel.readWall()).filter(({ text }) => text === type);
      expect(shown).toMatchObject([{ media: [{ type, bytes: bytes.length }] }]);
    }
  });

  it('waits while the store is down, and is then published once', async () => {
    const channel = await harness.createChannel(network);
    const id = await upload(channel, png(9, 9));
    server.fault = { status: 503 };
    const publication = await channel.publish({ text: 'after the outage', media: [{ id }] });
    const first = await channel.waitForOutcome(publication);
    server.fault = {};
    expect(first).toMatchObject({ type: 'PublicationPostponed', data: { rule: 'retry' } });
    expect(await channel.readWall()).toEqual([]);
    const { retryAt, at } = first.data as PublicationPostponed['data'];
    clock.forward(retryAt - at);
    await harness.wakeWorkers();
    const { attempts } = await channel.waitForState(publication, 'published');
    expect(attempts).toHaveLength(2);
    expect(await channel.readWall()).toMatchObject([{ text: 'after the outage', media: [{ type: 'photo' }] }]);
  });
});
