import { TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';
import { damageStream } from '../support/damaged-publication.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.stop());

it('deletes a channel although the stream of a post that is planned for it is gone', async () => {
  const owner = await gateway.createOwner();
  const [channel, other] = [await gateway.createChannel(owner), await gateway.createChannel(owner)];
  const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel, other])]);
  const publish_at = new Date(Date.now() + 3_600_000).toISOString();
  const [gone, kept] = [
    (await endpoint.post('', { text: 'gone', publish_at })).body.id,
    (await endpoint.post('', { text: 'kept', publish_at })).body.id,
  ];
  const planned = async () => {
    const text = `select post_id from planned_posts_v1.planned_target where targets @> $1 order by 1`;
    const { rows } = await gateway.pool.query<{ post_id: string }>(text, [JSON.stringify([{ channelId: channel.id }])]);
    return rows.map(({ post_id }) => post_id);
  };
  await until('both are planned', async () => (await planned()).length === 2);
  await gateway.pool.query(
    `update planned_posts_v1.planned_post set stream = 'idempotencyKey-gone' where post_id = $1`,
    [gone],
  );
  expect((await gateway.callManagement('DELETE', `/channels/${channel.id}?cascade=true`)).status).toBe(204);
  expect(await planned()).toEqual([gone]);
  const post = await gateway.manage('GET', `/posts/${kept}`);
  expect(post.publications.map(({ state }: { state: string }) => state).sort()).toEqual(['dismissed', 'planned']);
});

it('deletes a channel although the events of a post that is planned for it are damaged, and does not try for ever', async () => {
  const owner = await gateway.createOwner();
  const [channel, other] = [await gateway.createChannel(owner), await gateway.createChannel(owner)];
  const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel, other])]);
  const publish_at = new Date(Date.now() + 3_600_000).toISOString();
  const damaged = (await endpoint.post('', { text: 'damaged', publish_at })).body.id;
  const kept = (await endpoint.post('', { text: 'kept', publish_at })).body.id;
  const stream = await until('both are planned', async () => {
    const text = 'select post_id, stream from planned_posts_v1.planned_post where post_id in ($1, $2)';
    const { rows } = await gateway.pool.query<{ post_id: string; stream: string }>(text, [damaged, kept]);
    return rows.length === 2 && rows.find(({ post_id }) => post_id === damaged)!.stream;
  });
  await damageStream(gateway.infrastructure, stream);
  expect((await gateway.callManagement('DELETE', `/channels/${channel.id}?cascade=true`)).status).toBe(204);
  const post = await gateway.manage('GET', `/posts/${kept}`);
  expect(post.publications.map(({ state }: { state: string }) => state).sort()).toEqual(['dismissed', 'planned']);
  const head = await gateway.infrastructure.store.readHead();
  await until('the saga is done', async () => {
    const text = `select position >= $1 and error is null and not exists (
        select from ops_parked_event where saga = 'saga/complete-deletions') as done
      from ops_checkpoint where name = 'saga/complete-deletions'`;
    return (await gateway.pool.query<{ done: boolean }>(text, [head])).rows[0]?.done;
  });
});
