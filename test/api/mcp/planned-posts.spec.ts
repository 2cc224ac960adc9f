import { until } from '../../e2e/until.js';
import { TestGateway } from '../public/gateway.js';
import { createToolCalls } from './tool-calls.js';

let gateway: TestGateway;
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
});
afterAll(() => gateway.stop());

const { callOnce } = createToolCalls((slug) => `${gateway.url}/sse/${slug}`);

const setUp = async (settings: object = {}) => {
  const channel = await gateway.createChannel(owner);
  return {
    channel,
    endpoint: await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])], settings),
  };
};

describe('an assistant takes a post back (D-69)', () => {
  it('everywhere or on some targets, and sees what became of it', async () => {
    const { channel, endpoint } = await setUp({ require_signature: true, verbose_discovery: true });
    const secret = { 'x-service-hmac-secret': endpoint.secret };
    const call = (tool: string, args: object) => callOnce(endpoint, tool, args, secret);
    const { id } = (await call('service_publish', { text: 'A wrong price' })).structuredContent;
    await gateway.waitForText(channel.chatId, 'A wrong price');

    for (const targets of [null, []]) {
      const refused = await call('service_withdraw', { id, targets });
      expect(refused.content[0]!.text).toContain('name at least one channel');
    }
    const args = { id, targets: ['channel'], reason: 'The price is wrong.' };
    const taken = await call('service_withdraw', args);
    expect(taken.content[0]!.text).toMatch(/^The post post_\w+ is being taken back: telegram "Channel" \w+\./);
    await until('it is withdrawn', async () => {
      const { content } = await call('service_post_status', { id });
      return content[0]!.text!.includes('telegram "Channel" withdrawn');
    });
    const again = await call('service_withdraw', { id });
    expect(again.structuredContent).toMatchObject({ withdrawing: 0, cancelled: 0, unchanged: 1 });
    expect(again.content[0]!.text).toMatch(/^Nothing was left to take back/);

    const publish_at = new Date(Date.now() + 86_400_000).toISOString();
    const planned = (await call('service_publish', { text: 'never', publish_at })).structuredContent;
    const cancelled = await call('service_withdraw', { id: planned.id });
    expect(cancelled.content[0]!.text).toMatch(
      /was taken back before it was published: telegram "Channel" dismissed\.$/,
    );
  });
});

describe('an assistant edits a post (D-72)', () => {
  it('at the revision that it read, and sees which version readers see', async () => {
    const { channel, endpoint } = await setUp({ require_signature: true, verbose_discovery: true });
    const secret = { 'x-service-hmac-secret': endpoint.secret };
    const call = (tool: string, args: object) => callOnce(endpoint, tool, args, secret);
    const { id } = (await call('service_publish', { text: 'A tpyo' })).structuredContent;
    await gateway.waitForText(channel.chatId, 'A tpyo');
    const say = async () => (await call('service_post_status', { id })).content[0]!.text!;
    await until('it is published', async () => (await say()).includes('telegram "Channel" published'));

    const edited = await call('service_edit', { id, text: 'A typo', revision: 1 });
    expect(edited.structuredContent).toMatchObject({ ok: true, id, revision: 2, state: 'released' });
    expect(edited.content[0]!.text).toMatch(/^The content of the post post_\w+ is now revision 2: telegram "Channel"/);
    await until('readers see it', async () => (await say()).includes('published (edited; readers see revision 2)'));
    const stale = await call('service_edit', { id, text: 'lost', revision: 1 });
    expect(JSON.parse(stale.content[1]!.text!)).toMatchObject({ status: 412, code: 'revision_mismatch' });
    const media = [{ type: 'photo', url: 'https://media.example/1.jpg' }];
    const refused = await call('service_edit', { id, text: 'A typo', media });
    expect(JSON.parse(refused.content[1]!.text!)).toMatchObject({ status: 409, code: 'not_editable' });
    expect(refused.content[0]!.text).toMatch(
      / Call service_edit again with content that the reasons allow, .* service_withdraw and then service_publish /,
    );
  });
});

describe('an assistant plans posts (D-58 to D-66)', () => {
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

  it('publishes at a time with a text for a network, moves it, and publishes it now', async () => {
    const { channel, endpoint } = await setUp();
    const at = inDays(2);
    const overrides = { telegram: { text: 'for Telegram' } };
    const planned = await callOnce(endpoint, 'service_publish', { text: 'for all', overrides, publish_at: at });
    const { id } = planned.structuredContent;
    expect(planned.structuredContent).toMatchObject({ state: 'planned', publish_at: at, queued_targets: 1 });
    expect(planned.content[0]!.text).toContain(`The post ${id} is planned for ${at}, for 1 target.`);

    const status = await callOnce(endpoint, 'service_post_status', { id });
    expect(status.content[0]!.text).toContain(`telegram 0 planned (The post is planned for ${at}.)`);
    const later = inDays(3);
    const moved = await callOnce(endpoint, 'service_reschedule', { id, publish_at: later });
    expect(moved.structuredContent).toMatchObject({ id, publish_at: later, state: 'planned', revision: 2 });
    expect(moved.content[0]!.text).toContain(`is now planned for ${later}`);
    const released = await callOnce(endpoint, 'service_reschedule', { id, publish_at: null });
    expect(released.structuredContent).toMatchObject({ id, publish_at: null, state: 'released' });
    await gateway.waitForText(channel.chatId, 'for Telegram');

    const tooLate = await callOnce(endpoint, 'service_reschedule', { id, publish_at: later });
    expect(tooLate.content[0]!.text).toMatch(/was released already.* Do not call again for this post: tell the user\./);
    const items = await until('the refusal is in the log', async () => {
      const log = (await gateway.manage('GET', `/endpoints/${endpoint.id}/requests`)).items;
      return log[0]?.decision === 'rejected_validation' && log;
    });
    const route = 'PATCH /v1/webhooks/{slug}/posts/{id}';
    expect(items[0]).toMatchObject({ route, decision: 'rejected_validation', http_status: 409 });
    expect(items[0].user_agent).toContain('(tool service_reschedule)');
  });

  it('cancels a post once; the signing secret signs a cancellation', async () => {
    const { endpoint } = await setUp({ require_signature: true });
    const secret = { 'x-service-hmac-secret': endpoint.secret };
    const planned = await callOnce(endpoint, 'service_publish', { text: 'never', publish_at: inDays(1) }, secret);
    const { id } = planned.structuredContent;
    const cancelled = await callOnce(endpoint, 'service_cancel', { id }, secret);
    expect(cancelled.structuredContent).toEqual({ ok: true, id, cancelled: 1 });
    expect(cancelled.content[0]!.text).toBe(`1 publication of the post ${id} will not be published.`);
    const again = await callOnce(endpoint, 'service_cancel', { id }, secret);
    expect(again.structuredContent).toEqual({ ok: true, id, cancelled: 0 });
    expect(again.content[0]!.text).toContain('nothing was cancelled');
    const moved = await callOnce(endpoint, 'service_reschedule', { id, publish_at: inDays(2) }, secret);
    expect(JSON.parse(moved.content[1]!.text!)).toMatchObject({ status: 409, code: 'post_ended' });
  });
});
