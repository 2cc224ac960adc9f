import type { NoticeRaised } from '../../../src/domain/notice/notice.events.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { PostPayloads } from '../../../src/projections/posts/post-payloads.js';
import { followedLogOf } from '../../../src/sagas/engine/event-saga.js';
import { RaiseNotices } from '../../../src/sagas/raise-notices/raise-notices.js';
import { LIMITS_PROFILE } from '../../api/management/publishing-setup.js';
import { until } from '../../e2e/until.js';
import { GatewayHarness, type PublishingChannel } from './gateway-harness.js';

let harness: GatewayHarness;
let owner_id: string;
let channel: PublishingChannel;
beforeAll(async () => {
  harness = await GatewayHarness.start({ LIMITS_PROFILE });
  owner_id = await harness.gateway.createOwner();
  channel = await harness.createChannel('telegram', { owner_id });
});
afterAll(() => harness.stop());

const readNotices = async (): Promise<RecordedEvent<NoticeRaised>[]> =>
  (await harness.gateway.readAllEvents()).filter(
    (event): event is RecordedEvent<NoticeRaised> => event.type === 'NoticeRaised',
  );
/** Waits for a notice of a kind about a subject. */
const waitForNotice = (kind: string, about: string): Promise<NoticeRaised['data']> =>
  until(`${kind} of ${about}`, async () =>
    (await readNotices())
      .map(({ data }) => data)
      .find((data) => data.kind === kind && JSON.stringify(data.subject).includes(about)),
  );
const addFault = (fault: Parameters<PublishingChannel['network']['addFault']>[0]) =>
  channel.network.addFault({ method: 'sendMessage', channel: channel.chat, ...fault });

describe('an owner gets a notice', () => {
  it('about a publication in doubt (D-25)', async () => {
    await addFault({ mode: 'accept_then_drop' });
    const postId = await channel.publish({ text: 'unknown' });
    const { id: publicationId } = await channel.waitForState(postId, 'in_doubt');
    const { text, ...rest } = await waitForNotice('publication.in_doubt', postId);
    expect(rest).toEqual({
      noticeId: expect.stringMatching(/^ntc_/),
      ownerId: owner_id,
      kind: 'publication.in_doubt',
      at: expect.any(Number),
      subject: { channelId: channel.channelId, postId, publicationId },
    });
    expect(text).toContain('"On telegram" (telegram)');
  });

  it('about a publication that failed', async () => {
    await addFault({ mode: 'answer', status: 400 });
    const postId = await channel.publish({ text: 'refused' });
    expect(await waitForNotice('publication.failed', postId)).toMatchObject({ ownerId: owner_id });
  });

  it('about a channel that needs attention (D-26), once while that lasts', async () => {
    await addFault({ mode: 'answer', status: 401, times: null });
    await channel.publish({ text: 'held' });
    const { text } = await waitForNotice('channel.needs_attention', channel.channelId);
    expect(text).toContain('set the current one from @BotFather');
    await channel.network.clearFaults();
  });

  it('about an endpoint that was disabled for its violations (publish-api.md: Endpoint and pause states)', async () => {
    const hasty = await harness.gateway.createEndpoint(owner_id, [], { min_interval: 60, name: 'Hasty' });
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await hasty.post('', { text: 'again' })).status);
    expect(statuses).toEqual([200, 429, 429, 429, 429, 429, 503]);
    const { ownerId, text } = await waitForNotice('endpoint.disabled', hasty.id);
    expect(ownerId).toBe(owner_id);
    expect(text).toMatch(/^The endpoint "Hasty" was disabled: 5 rate-limit violations within an hour\./);
  });

  it('about an endpoint that its plan disabled, but not about one that the owner disabled', async () => {
    const { endpoint: byHand } = await harness.createChannel('telegram', { owner_id });
    await harness.gateway.manage('POST', `/endpoints/${byHand.id}/disable`);
    await harness.gateway.manage('PATCH', `/owners/${owner_id}`, { plan: 'free' });
    expect((await channel.endpoint.post('', { text: 'too much' })).status).toBe(503);
    const data = await waitForNotice('endpoint.disabled', channel.endpoint.id);
    expect(data).toMatchObject({ ownerId: owner_id, subject: { endpointId: channel.endpoint.id } });
    expect((await readNotices()).map(({ data }) => data.subject.endpointId)).not.toContain(byHand.id);
  });

  it('about a post that waits for approval, and again after a client has changed it once approved (D-62, D-64)', async () => {
    const { gateway } = harness;
    const owner = await gateway.createOwner();
    const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
    const desk = await gateway.createEndpoint(owner, [project], { requires_approval: true, name: 'Desk' });
    const publish_at = new Date(Date.now() + 3_600_000).toISOString();
    const postId = (await desk.post('', { text: 'Look at this', publish_at })).body.id as string;
    const readAll = async () =>
      (await readNotices()).filter(({ data }) => data.kind === 'approval_needed' && data.subject.postId === postId);
    const first = await waitForNotice('approval_needed', postId);
    expect(first).toMatchObject({ ownerId: owner, subject: { endpointId: desk.id, postId } });
    expect(first.text).toContain('The endpoint "Desk"');
    expect(first.text).toContain('"Look at this"');
    expect(first.text).toContain(publish_at);
    const path = `/v1/webhooks/${desk.slug}/posts/${postId}`;
    const put = (text: string) =>
      gateway.call('PUT', path, {
        headers: { authorization: `Bearer ${desk.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text, publish_at }),
      });
    await put('While it waits'); // asks for nothing new
    await gateway.manage('POST', `/posts/${postId}/approve`, { revision: 2 });
    await put('After that');
    const both = await until('the second notice', async () => ((await readAll()).length > 1 ? readAll() : null));
    expect(both.map(({ data }) => data.text)).toEqual([first.text, expect.stringContaining('"After that"')]);
  });

  it('once for each event, however often the event is delivered', async () => {
    const all = await harness.gateway.readAllEvents();
    const { aggregates, store, codec } = harness.gateway.infrastructure;
    const saga = new RaiseNotices(aggregates, new PostPayloads(store, codec), 60_000);
    const { types } = followedLogOf(RaiseNotices)!;
    const before = await readNotices();
    for (const event of all.filter(({ type }) => types.includes(type))) await saga.react(event as never);
    expect(await readNotices()).toEqual(before);
    expect(before.map(({ causationId }) => causationId)).toHaveLength(7);
  });
});
