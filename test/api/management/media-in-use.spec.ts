// More than 20 s: hundreds of deletions race with posts.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { addUpload } from '../../support/add-upload.js';
import { type TestEndpoint, TestGateway } from '../public/gateway.js';

const ROUNDS = 200;
const AT_ONCE = 10;

let gateway: TestGateway;
let store: string;
let owner: string;
let endpoint: TestEndpoint;
beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), 'media-in-use-'));
  gateway = await TestGateway.start({ MEDIA_STORE: store });
  owner = await gateway.createOwner();
  const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
  endpoint = await gateway.createEndpoint(owner, [project]);
});
afterAll(async () => {
  await gateway.stop();
  await rm(store, { recursive: true });
});

let width = 20;
const add = () => addUpload(gateway.aggregates, store, owner, png(++width, 10));
const publish_at = new Date(Date.now() + 3_600_000).toISOString();
const plan = (id: string) => endpoint.post('', { media: [{ id }], publish_at });
const remove = (id: string) => gateway.callManagement('DELETE', `/media/${id}`);
const read = (id: string) => gateway.callManagement('GET', `/media/${id}`);

describe('a file that a post needs (D-90)', () => {
  it('is kept without an end, names the post, and is not deleted until the post needs it no more', async () => {
    const { id } = await add();
    const { body: post } = await plan(id);
    const needed = await until('the post is shown', async () => {
      const { body } = await read(id);
      return body?.kept_for === 'post' && body;
    });
    expect(needed).toMatchObject({ expires_at: null, used_by: { count: 1, post_ids: [post.id] } });
    expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'media_in_use', post_ids: [post.id] } });
    await gateway.manage('POST', `/posts/${post.id}/cancel`);
    const free = await until('nothing needs the file', async () => {
      const { body } = await read(id);
      return body?.kept_for === null && body;
    });
    expect(Date.parse(free.expires_at)).toBeGreaterThan(Date.now());
    expect((await remove(id)).status).toBe(204);
    expect((await read(id)).status).toBe(404);
  });

  it('is held by a post that is being accepted; what a dead process left behind expires', async () => {
    const { id } = await add();
    const text = `insert into ops_media_hold (media_id, hold_id, post_id, until) values ($1, 'dead', 'post_1', now() + '1 h')`;
    await gateway.pool.query(text, [id]);
    expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'media_in_use', post_ids: ['post_1'] } });
    await gateway.pool.query(`update ops_media_hold set until = now() - interval '1 s' where media_id = $1`, [id]);
    expect((await remove(id)).status).toBe(204);
    expect(await plan(id)).toMatchObject({ status: 422, body: { details: [{ code: 'unknown_media' }] } });
  });

  it(`is never lost in ${ROUNDS} races of a deletion and an acceptance: one of them is refused`, async () => {
    const counts = { kept: 0, deleted: 0 };
    const race = async (round: number): Promise<void> => {
      const { id } = await add();
      const acts = [() => plan(id), () => remove(id)];
      if (round % 2 === 0) acts.reverse();
      const answers = await Promise.all(acts.map((act) => act()));
      const [post, deletion] = round % 2 === 0 ? [answers[1]!, answers[0]!] : [answers[0]!, answers[1]!];
      if (post.status === 200) {
        counts.kept++;
        expect(deletion).toMatchObject({ status: 409, body: { code: 'media_in_use', post_ids: [post.body.id] } });
        expect((await read(id)).status).toBe(200);
      } else {
        counts.deleted++;
        expect(post).toMatchObject({ status: 422, body: { details: [{ code: 'unknown_media' }] } });
        expect(deletion.status).toBe(204);
      }
    };
    for (let round = 0; round < ROUNDS; round += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => race(round + i)));
    expect(counts.kept + counts.deleted).toBe(ROUNDS);
    const { rows } = await gateway.pool.query('select from ops_media_hold where post_id is null and until > now()');
    expect(rows).toEqual([]);
  });
});
