import type { NoticeRaised } from '../../../src/domain/notice/notice.events.js';
import type { RecordedEvent, RecordedEventOf } from '../../../src/kernel/events.js';
import { raiseNotices } from '../../../src/sagas/raise-notices/raise-notices.js';
import { until } from '../../e2e/until.js';
import { LIMITS_PROFILE } from '../../api/management/line.js';
import { type Line, Networks } from './networks.js';

let networks: Networks;
let owner_id: string;
let line: Line;
beforeAll(async () => {
  networks = await Networks.start({ LIMITS_PROFILE });
  owner_id = await networks.gateway.owner();
  line = await networks.line('telegram', { owner_id });
});
afterAll(() => networks.stop());

const raised = async (): Promise<RecordedEvent<NoticeRaised>[]> =>
  (await networks.gateway.allEvents()).filter(
    (event): event is RecordedEvent<NoticeRaised> => event.type === 'NoticeRaised',
  );
/** Waits for a notice of a kind about something. */
const notice = (kind: string, about: string): Promise<NoticeRaised['data']> =>
  until(`${kind} of ${about}`, async () =>
    (await raised())
      .map(({ data }) => data)
      .find((data) => data.kind === kind && JSON.stringify(data.subject).includes(about)),
  );
const meets = (fault: Parameters<Line['network']['addFault']>[0]) =>
  line.network.addFault({ method: 'sendMessage', channel: line.chat, ...fault });

describe('an owner is told', () => {
  it('of a publication in doubt (D-25)', async () => {
    await meets({ mode: 'accept_then_drop' });
    const postId = await line.send({ text: 'who knows' });
    const { id: publicationId } = await line.inState(postId, 'in_doubt');
    const { text, ...told } = await notice('publication.in_doubt', postId);
    expect(told).toEqual({
      noticeId: expect.stringMatching(/^ntc_/),
      ...{ ownerId: owner_id, kind: 'publication.in_doubt', at: expect.any(Number) },
      subject: { channelId: line.channelId, postId, publicationId },
    });
    expect(text).toContain('"On telegram" (telegram)');
  });

  it('of a publication that failed for good', async () => {
    await meets({ mode: 'answer', status: 400 });
    const postId = await line.send({ text: 'refused' });
    expect(await notice('publication.failed', postId)).toMatchObject({ ownerId: owner_id });
  });

  it('of a channel that needs attention (D-26), once while that lasts', async () => {
    await meets({ mode: 'answer', status: 401, times: null });
    await line.send({ text: 'held' });
    const { text } = await notice('channel.needs_attention', line.channelId);
    expect(text).toContain('take the present one from @BotFather');
    await line.network.clearFaults();
  });

  it('of an endpoint that was switched off for its violations (publish-api.md: Endpoint and pause states)', async () => {
    const hasty = await networks.gateway.endpoint(owner_id, [], { min_interval: 60, name: 'Hasty' });
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await hasty.post('', { text: 'again' })).status);
    expect(statuses).toEqual([200, 429, 429, 429, 429, 429, 503]);
    const { ownerId, text } = await notice('endpoint.disabled', hasty.id);
    expect(ownerId).toBe(owner_id);
    expect(text).toMatch(/^The endpoint "Hasty" was switched off: 5 rate-limit violations within an hour\./);
  });

  it('of an endpoint that its plan has switched off, and not of one that was switched off by hand', async () => {
    const { endpoint: byHand } = await networks.line('telegram', { owner_id });
    await networks.gateway.manage('POST', `/endpoints/${byHand.id}/disable`);
    await networks.gateway.manage('PATCH', `/owners/${owner_id}`, { plan: 'free' });
    expect((await line.endpoint.post('', { text: 'too much' })).status).toBe(503);
    const told = await notice('endpoint.disabled', line.endpoint.id);
    expect(told).toMatchObject({ ownerId: owner_id, subject: { endpointId: line.endpoint.id } });
    expect((await raised()).map(({ data }) => data.subject.endpointId)).not.toContain(byHand.id);
  });

  it('once of each, however often the saga hears of it', async () => {
    const all = await networks.gateway.allEvents();
    const { types, react } = raiseNotices(networks.gateway.streams);
    const before = await raised();
    for (const event of all.filter(({ type }) => (types as readonly string[]).includes(type)))
      await react(event as RecordedEventOf<Parameters<typeof react>[0]>, new AbortController().signal);
    expect(await raised()).toEqual(before);
    expect(before.map(({ causationId }) => causationId)).toHaveLength(5);
  });
});
