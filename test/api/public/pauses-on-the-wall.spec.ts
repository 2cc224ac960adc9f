import { until } from '../../e2e/until.js';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

const MINUTE_MS = 300;

let gateway: TestGateway;
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start({ MINUTE_MS: String(MINUTE_MS) });
  owner = await gateway.createOwner();
});
afterAll(() => gateway.stop());

const send = async (endpoint: TestEndpoint, text: string): Promise<string> => {
  const answer = await endpoint.post('', { text });
  expect(answer.status).toBe(200);
  return answer.body.id;
};
/** Reads the state of a post's publication on one channel, and the rule that holds it. */
const readState = async (postId: string, channel: TestChannel): Promise<[string, string | undefined]> => {
  const { publications } = await gateway.manage('GET', `/posts/${postId}`);
  const { state, waiting_for } = publications.find(
    (publication: { target_id: string }) => publication.target_id === channel.id,
  );
  return [state, waiting_for?.rule];
};
/** Waits until a rule holds a post's publication on one channel. */
const waitForRule = (postId: string, channel: TestChannel, rule: string): Promise<true> =>
  until(`${postId} waits for ${rule}`, async () => (await readState(postId, channel)).join() === `queued,${rule}`);
const createOneProject = async () => {
  const channel = await gateway.createChannel(owner);
  const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
  return { channel, endpoint };
};

describe('publications during pauses (publish-api.md: Project and target pauses; D-21)', () => {
  it('a post accepted before its project was paused is still published, one accepted afterwards waits', async () => {
    const { channel, endpoint } = await createOneProject();
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 1_440 }); // so that the first is still queued
    const before = await send(endpoint, 'before');
    await endpoint.post('temp-pause', { project_minutes: 1_440 });
    const after = await send(endpoint, 'after');
    await waitForRule(before, channel, 'channel_pause');

    await gateway.manage('POST', `/channels/${channel.id}/resume`);
    await gateway.waitForText(channel.chatId, 'before');
    await waitForRule(after, channel, 'project_pause');
    expect(await gateway.readWall(channel.chatId)).toEqual(['before']);

    await endpoint.post('temp-resume', { scope: 'project' });
    await gateway.waitForText(channel.chatId, 'after');
    expect(await gateway.readWall(channel.chatId)).toEqual(['before', 'after']);
  });

  it('a paused channel that two projects share waits in both, and the other channels do not', async () => {
    const [first, shared, second] = [
      await gateway.createChannel(owner),
      await gateway.createChannel(owner),
      await gateway.createChannel(owner),
    ];
    const here = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [first, shared])]);
    const there = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [shared, second])]);
    await here.post('temp-pause', { target_minutes: 1_440, targets: [shared.id] });

    const [fromHere, fromThere] = [await send(here, 'from here'), await send(there, 'from there')];
    await gateway.waitForText(first.chatId, 'from here');
    await gateway.waitForText(second.chatId, 'from there');
    for (const post of [fromHere, fromThere]) await waitForRule(post, shared, 'channel_pause');
    expect(await gateway.readWall(shared.chatId)).toEqual([]);

    await there.post('temp-resume', { scope: 'targets', targets: [shared.id] });
    await gateway.waitForText(shared.chatId, 'from there');
    expect(await gateway.readWall(shared.chatId)).toEqual(['from here', 'from there']);
  });

  it('temp-resume of a channel publishes the backlog in order, one post a minute', async () => {
    const { channel, endpoint } = await createOneProject();
    await endpoint.post('temp-pause', { target_minutes: 1_440 });
    const texts = ['one', 'two', 'three', 'four'];
    const posts: string[] = [];
    for (const text of texts) posts.push(await send(endpoint, text));
    const resumed = await endpoint.post('temp-resume', { scope: 'targets', targets: [channel.id] });
    expect(resumed.body).toMatchObject({ resources_affected: 1, rescheduled_post_targets: 4 });
    await gateway.waitForText(channel.chatId, 'four');
    expect(await gateway.readWall(channel.chatId)).toEqual(texts);

    const starts = await Promise.all(
      posts.map((id) =>
        until(`${id} has started`, async () => {
          const { publications } = await gateway.manage('GET', `/posts/${id}`);
          return Date.parse(publications[0].attempts[0].started_at);
        }),
      ),
    );
    for (const [i, start] of starts.slice(1).entries()) expect(start - starts[i]!).toBeGreaterThanOrEqual(MINUTE_MS);
  });
});
