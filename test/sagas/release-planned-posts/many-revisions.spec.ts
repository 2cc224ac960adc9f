// More than 20 s: 200 changes over HTTP, and posts with megabytes of revisions.
import { PlannedPosts } from '../../../src/commands/post/planned-posts.js';
import { AggregateStore } from '../../../src/event-store/aggregate-store.js';
import { iso } from '../../../src/kernel/clock.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { appendOldRevisions } from '../../support/old-revisions.js';

const KEY = 'many-revisions';
const OLD_REVISIONS = 300;
const OLD_TEXT = 'x'.repeat(30_000);

let gateway: TestGateway;
let channels: TestChannel[];
let endpoint: TestEndpoint;
beforeAll(async () => {
  gateway = await TestGateway.start();
  const ownerId = await gateway.createOwner();
  channels = [await gateway.createChannel(ownerId), await gateway.createChannel(ownerId)];
  const project = await gateway.createProject(ownerId, channels);
  endpoint = await gateway.createEndpoint(ownerId, [project], { requires_approval: true });
});
afterAll(() => gateway.stop());

const publishAt = (): number => Date.now() + 3_600_000;
const plan = async (text: string): Promise<string> => {
  const body = { text, publish_at: iso(publishAt()), external_id: `${KEY} ${text}` };
  return (await endpoint.post('', body)).body.id;
};
const replace = (id: string, body: object) => gateway.callManagement('PUT', `/posts/${id}/payload`, body);
const findPlace = async (postId: string) => {
  const place = await until('it is listed', () => gateway.findPostPlace(postId));
  return { ...place, postId };
};

/** Appends revisions as former programs wrote them. */
const reviseAsBefore = async (postId: string): Promise<void> => {
  const { aggregates } = gateway.infrastructure;
  const texts = Array.from({ length: OLD_REVISIONS }, (_, n) => `${n} ${OLD_TEXT}`);
  await appendOldRevisions(aggregates, await findPlace(postId), publishAt(), texts);
};

/** Loads a post, and counts what is read. */
const countReads = async (postId: string) => {
  const { store, codec } = gateway.infrastructure;
  const reads: number[] = [];
  const counting = new Proxy(store, {
    get: (inner, name) =>
      name === 'readStream'
        ? async (...args: Parameters<typeof store.readStream>) => {
            const events = await inner.readStream(...args);
            reads.push(events.reduce((sum, { data }) => sum + data.length, 0));
            return events;
          }
        : (Reflect.get(inner, name) as unknown),
  });
  const loaded = await new PlannedPosts(new AggregateStore(counting, codec)).load(await findPlace(postId));
  return { reads, state: loaded!.state };
};

it('a planned post has at most 200 revisions, is read from the last, and can still be cancelled (D-79)', async () => {
  const id = await plan('many');
  const body = (n: number) => ({ text: `${n} ${'y'.repeat(1_500)}`, publish_at: iso(publishAt()) });
  for (let n = 2; n <= 200; n++) {
    const { status } = await replace(id, body(n));
    if (status !== 200) throw new Error(`revision ${n} was answered with ${status}`);
  }
  for (let n = 0; n < 3; n++) {
    const refused = await replace(id, body(201));
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_revisions']);
  }
  const { reads, state } = await countReads(id);
  expect(state.revision).toBe(200);
  expect(reads).toHaveLength(1);
  expect((await gateway.callManagement('POST', `/posts/${id}/cancel`, {})).status).toBe(200);
});

it('a post with more revisions from former times is read in small pages, refuses another, and can be decided', async () => {
  const [approved, cancelled] = [await plan('approved'), await plan('cancelled')];
  for (const id of [approved, cancelled]) {
    await reviseAsBefore(id);
    const { reads, state } = await countReads(id);
    expect(state.revision).toBe(OLD_REVISIONS + 1);
    // Each page has about 256 KB, the first 8 events. Sealed content is in base64, a third longer (D-100).
    expect(reads.length).toBeLessThan((OLD_REVISIONS * OLD_TEXT.length * 4) / 3 / 200_000);
    expect(Math.max(...reads)).toBeLessThan(400_000);
    const refused = await replace(id, { text: 'another', publish_at: iso(publishAt()) });
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_revisions']);
  }
  const decided = await gateway.callManagement('POST', `/posts/${approved}/approve`, { revision: OLD_REVISIONS + 1 });
  expect(decided.status).toBe(200);
  expect((await gateway.callManagement('POST', `/posts/${cancelled}/cancel`, {})).status).toBe(200);
});
