import request from 'supertest';
import {
  Caller,
  createChannel,
  type CreatedEndpoint,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  sendPost,
  type TestOwner,
} from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import { UNLIMITED } from '../support/test-environment.js';

/** Both gateways use the same log name, so that each can verify the other's checkpoints. */
export const SETTINGS = { LIMITS_PROFILE: UNLIMITED, HISTORY_ORIGIN: 'post.example.com/history' };

/** Lines of an exported history. */
export type Lines = readonly string[];

/** Returns a caller with an owner's key at another gateway. */
export const callAs = (harness: ManagementHarness, owner: TestOwner): Caller => new Caller(harness, owner.caller.key);

/** Reads the lines of `GET /history/export`. */
export const exportHistory = async (harness: ManagementHarness, query = ''): Promise<Lines> => {
  const answer = await operatorCaller(harness).get(`/history/export${query}`).responseType('blob').expect(200);
  expect(answer.headers['content-type']).toBe('application/x-ndjson');
  return String(answer.body).split('\n').slice(0, -1);
};

/** Sends lines to `POST /history/import`. */
export const importHistory = (harness: ManagementHarness, lines: Lines) =>
  request(harness.url)
    .post('/manage/v1/history/import')
    .set('authorization', `Bearer ${operatorCaller(harness).key}`)
    .set('content-type', 'application/x-ndjson')
    .send(lines.map((line) => `${line}\n`).join(''));

/** Verifies the history, and returns the job's result. @param checkpoint of another log that this one must continue */
export const verify = async (harness: ManagementHarness, checkpoint?: string) => {
  const operator = operatorCaller(harness);
  let { body: job } = await operator.post('/history/verify', { checkpoint }).expect(202);
  await until('the verification has ended', async () => {
    ({ body: job } = await operator.get(`/jobs/${job.id}`).expect(200));
    return job.state !== 'running';
  });
  return job.result;
};

/** Waits until every read model has applied the whole history. */
const waitForReadModels = async ({ running }: ManagementHarness): Promise<void> => {
  const { pool, store } = running.infrastructure;
  await until('the read models are level', async () => {
    const head = await store.readHead();
    const { rows } = await pool.query<{ position: bigint }>(
      `select c.position from ops_projection p
       left join ops_checkpoint c on c.name = p.name and c.version = p.live_version`,
    );
    return rows.length > 0 && rows.every(({ position }) => position !== null && position >= head);
  });
};

/** Reads everything that clients and owners see, from read models that show the whole history. */
export const readViews = async (harness: ManagementHarness, { owner, endpoint, channel }: Setting) => {
  await waitForReadModels(harness);
  const caller = callAs(harness, owner);
  const info = await request(harness.url)
    .get(`/v1/webhooks/${endpoint.slug}/info`)
    .set('authorization', `Bearer ${endpoint.token}`)
    .expect(200);
  const { body: requests } = await caller.get(`/endpoints/${endpoint.id}/requests`).expect(200);
  const { body: receipts } = await caller.get(`/channels/${channel}/receipts`).expect(200);
  const { body: posts } = await caller.get('/posts').expect(200);
  const { body: history } = await caller.get(`/history/channel/${channel}`).expect(200);
  const withoutPlace = history.events.map(({ position: _, ...event }: { position: string }) => event);
  return {
    discovery: info.body,
    // Reading discovery is itself logged.
    requests: requests.items.filter(({ route }: { route: string }) => !route.includes('info')) as object[],
    receipts,
    posts,
    history: withoutPlace,
  };
};

/** Things that {@link fill} creates. */
export interface Setting {
  readonly owner: TestOwner;
  readonly endpoint: CreatedEndpoint;
  readonly channel: string;
  readonly waiting: string;
  readonly chatId: string;
}

/** Creates an owner's resources, publishes posts and leaves one waiting. */
export const fill = async (harness: ManagementHarness): Promise<Setting> => {
  const owner = await createOwner(harness);
  const { id: channel, chatId } = await createChannel(owner);
  const project = await createProject(owner, [channel]);
  const endpoint = await createEndpoint(owner, [project], { min_interval: 0 });
  for (const text of ['one', 'two']) await sendPost(harness, endpoint, { text });
  await until('both are published', async () => {
    const { body } = await owner.caller.get(`/channels/${channel}/receipts`).expect(200);
    return body.items.filter(({ state }: { state: string }) => state === 'published').length === 2;
  });
  await owner.caller.post(`/channels/${channel}/pause`, { minutes: 1_000 }).expect(200);
  const waiting = await sendPost(harness, endpoint, { text: 'three' });
  for (let n = 0; n < 5; n++) {
    await request(harness.url)
      .post(`/v1/webhooks/${endpoint.slug}`)
      .set('authorization', `Bearer ${endpoint.token}`)
      .send({ text: 7, n })
      .expect(422);
    await until('it is logged', async () => {
      const { body } = await owner.caller.get(`/endpoints/${endpoint.id}/requests`).expect(200);
      return body.items.filter(({ http_status }: { http_status: number }) => http_status === 422).length > n;
    });
  }
  return { owner, endpoint, channel, waiting, chatId };
};

/** Reads the newest signed checkpoint of the transparency log. */
export const readCheckpoint = async (harness: ManagementHarness): Promise<string> =>
  (await operatorCaller(harness).get('/history/log/checkpoint').expect(200)).text;

/**
 * Ends the pause of {@link fill}, sends another post, and waits until all posts are published. @returns the texts in
 * the channel
 */
export const publishTheRest = async (harness: ManagementHarness, source: ManagementHarness, setting: Setting) => {
  await callAs(harness, setting.owner).post(`/channels/${setting.channel}/resume`).expect(200);
  const later = await sendPost(harness, setting.endpoint, { text: 'four' });
  await until('the queue is published', async () => {
    const { body: post } = await callAs(harness, setting.owner).get(`/posts/${later}`);
    return post.publications?.[0]?.state === 'published';
  });
  return (await source.telegram.readLedger({ channel: setting.chatId })).map(({ text }) => text);
};
