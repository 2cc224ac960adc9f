import type { EventStore } from '../../../../src/event-store/port.js';
import { KurrentServer } from '../../../support/kurrent-server/kurrent-server.js';
import { type Answer, type TestEndpoint, TestGateway } from '../gateway.js';
import { stopLimitClock } from './calls.js';

/** Counts the reads of posts' streams, and the appends to them. */
class PostCalls {
  reads = 0;
  appends = 0;

  readonly wrap = (store: EventStore): EventStore => {
    const append = store.append.bind(store);
    const readStream = store.readStream.bind(store);
    store.append = (stream, ...rest) => {
      if (stream.startsWith('post-')) this.appends += 1;
      return append(stream, ...rest);
    };
    store.readStream = (stream, options) => {
      if (stream.startsWith('post-')) this.reads += 1;
      return readStream(stream, options);
    };
    return store;
  };
}

let server: KurrentServer;
let gateway: TestGateway;
const calls = new PostCalls();
beforeAll(async () => {
  server = await KurrentServer.start();
  const env = { EVENT_STORE_URL: server.connectionString, LIMITS_PROFILE: 'A' };
  gateway = await TestGateway.start(env, undefined, { wrapEventStore: calls.wrap });
  await stopLimitClock(gateway.pool);
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

const createEndpoint = async (settings: object = {}): Promise<TestEndpoint> => {
  const owner = await gateway.createOwner();
  const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
  return gateway.createEndpoint(owner, [project], { min_interval: 1, ...settings });
};
const post = (endpoint: TestEndpoint, key: string, body: object = { text: key }): Promise<Answer> =>
  endpoint.post('', body, { 'idempotency-key': key });

/** Makes the limiter forget the keys of the last seconds, as it does after ten seconds. */
const forgetKeys = () => gateway.pool.query(`update ops_limit set keys = '{}', older_keys = '{}'`);
/** Lets the interval between two posts pass, so that only the append can find that a key is known. */
const passInterval = () => gateway.pool.query('update ops_limit set last_at = null');
const readLimits = async ({ id }: TestEndpoint) => {
  const text = 'select hour_count, last_at, violations from ops_limit where endpoint_id = $1';
  return (await gateway.pool.query(text, [id])).rows[0];
};

describe('idempotency keys of a store outside the database', () => {
  it('a post with new keys costs one append and no read', async () => {
    const endpoint = await createEndpoint();
    Object.assign(calls, { reads: 0, appends: 0 });
    const answer = await post(endpoint, 'new');
    expect([answer.status, calls.appends, calls.reads]).toEqual([200, 1, 0]);
  });

  it('a repetition gets the first answer and takes no tokens', async () => {
    const endpoint = await createEndpoint();
    const first = await post(endpoint, 'again');
    await forgetKeys();
    await passInterval();
    const limits = await readLimits(endpoint);
    const again = await post(endpoint, 'again');
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect((await readLimits(endpoint)).hour_count).toBe(limits.hour_count);
  });

  it('a repetition within the interval between posts is no violation', async () => {
    const endpoint = await createEndpoint({ min_interval: 60 });
    const first = await post(endpoint, 'soon');
    await forgetKeys();
    const limits = await readLimits(endpoint);
    expect(await post(endpoint, 'soon')).toMatchObject({ status: 202, body: first.body });
    expect(await readLimits(endpoint)).toEqual(limits);
    expect((await post(endpoint, 'another')).status).toBe(429);
    expect((await readLimits(endpoint)).violations).toHaveLength(1);
  });

  it.each([
    ['a body that is not valid', { text: 7 }],
    ['a target that does not exist', { text: 'x', targets: [{ id: 'tgt_ffffffffffffffffffffffff' }] }],
    ['media', { media: [{ type: 'photo', url: 'https://photos.invalid/1.jpg' }] }],
  ])('a repetition with %s gets the first answer', async (_, body) => {
    const endpoint = await createEndpoint();
    const first = await post(endpoint, 'other body');
    await forgetKeys();
    await passInterval();
    const again = await post(endpoint, 'other body', body);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get('idempotency-payload-mismatch')).toBe('true');
  });

  it('repetitions have the limit of replays', async () => {
    const endpoint = await createEndpoint();
    await post(endpoint, 'often');
    const statuses: number[] = [];
    for (let i = 0; i < 70 && !statuses.includes(429); i++) {
      await forgetKeys();
      await passInterval();
      statuses.push((await post(endpoint, 'often')).status);
    }
    expect(statuses.slice(0, -1).every((status) => status === 202)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });

  it('twenty at the same time post once', async () => {
    const endpoint = await createEndpoint();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(endpoint, 'at once')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });
});
