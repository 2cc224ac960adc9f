// More than 20 s: months pass, and content is erased at several moments of a crash.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EraseContent } from '../../../src/commands/erase-content.js';
import { JobTable } from '../../../src/jobs/job.js';
import { ContentKeyTable } from '../../../src/secrets/content-keys.js';
import { until } from '../../e2e/until.js';
import { computeHash, type EventJson, verifyInclusion } from '../../history/webcrypto-verifier.js';
import { MINUTE_MS, WebhookSetup } from '../../sagas/deliver-webhooks/webhook-harness.js';
import { addUpload } from '../../support/add-upload.js';
import { AppendFault } from '../../support/append-fault.js';
import { findInFiles, findInTables } from '../../support/find-bytes.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { type Answer, OPERATOR_KEY, TestGateway } from '../public/gateway.js';

const DAY = 24 * 3_600_000;
const now = new Date();
const firstOf = (monthsAgo: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo));
const nameOf = (monthsAgo: number): string => firstOf(monthsAgo).toISOString().slice(0, 7);
let ahead = 0;
/** Goes to the middle of a month, or back to the present. */
const goTo = (monthsAgo: number): void => {
  ahead = monthsAgo === 0 ? 0 : firstOf(monthsAgo).getTime() + 14 * DAY - Date.now();
};

/** Fails the events of erasures. */
const fault = new AppendFault('OwnerContentErased');

let folder: string;
let gateway: TestGateway;
let receiver: WebhookReceiver;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'erase-content-'));
  const env = {
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    MINUTE_MS: String(MINUTE_MS),
    MEDIA_STORE: join(folder, 'uploads'),
    DATA_DIR: join(folder, 'data'),
    MEDIA_DAYS: '3650',
  };
  gateway = await TestGateway.start(env, undefined, {
    clock: { now: () => Date.now() + ahead },
    wrapEventStore: fault.wrap,
  });
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await gateway.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

/** What people wrote in one month. */
interface Written {
  readonly words: readonly string[];
  readonly postId: string;
  readonly failedId: string;
}

const WHAT = ['text', 'meta', 'agent', 'answer', 'error', 'file', 'large', 'bytes', 'reason'];
type Words = [string, string, string, string, string, string, string, string];
const newWord = (what: string): string => `${what}${Math.random().toString(36).slice(2)}x`;
const uploads = (): string => join(folder, 'uploads');

class Writer {
  private constructor(readonly setup: WebhookSetup) {}

  static async create(): Promise<Writer> {
    const setup = await WebhookSetup.create(gateway);
    await setup.createOutput(receiver, { kinds: ['post.published', 'publication.succeeded'] });
    return new Writer(setup);
  }

  get owner(): string {
    return this.setup.owner;
  }

  /**
   * Writes into everything that keeps content: a post that is published and taken back, one that fails, a large one, one
   * that is planned and cancelled, an upload, the deliveries of a webhook with their answers.
   */
  async write(): Promise<Written> {
    const [text, meta, agent, answer, error, filename, large, bytes, reason] = WHAT.map(newWord) as [string, ...Words];
    receiver.answer = () => ({ status: 200, body: answer });
    const { endpoint, channel } = this.setup;
    await addUpload(gateway.aggregates, uploads(), this.owner, Buffer.from(bytes), { filename }, Date.now() + ahead);
    const post = async (body: object): Promise<string> => {
      const answered = await endpoint.post('', body, { 'user-agent': agent });
      if (answered.status !== 200) throw new Error(JSON.stringify(answered.body));
      return answered.body.id as string;
    };
    const postId = await post({ text, metadata: { meta } });
    await gateway.waitForText(channel.chatId, text);
    const body = { ok: false, error_code: 400, description: `Bad Request: ${error}` };
    const refusal = { mode: 'answer', method: 'sendMessage', channel: channel.chatId, times: 1, status: 400 } as const;
    await gateway.telegram.addFault({ ...refusal, body });
    const failedId = await post({ text: `${text} failed` });
    const ended = [postId, failedId];
    ended.push(await post({ text, metadata: { large: large.repeat(3_000) } }));
    const publish_at = new Date(Date.now() + ahead + 3_600_000).toISOString();
    const planned = await post({ text: `${text} planned`, publish_at });
    await gateway.manage('POST', `/posts/${planned}/cancel`);
    for (const id of ended)
      await until('it has ended', async () => {
        const { publications } = await gateway.manage('GET', `/posts/${id}`);
        return (publications as { state: string }[]).every(({ state }) => ['published', 'failed'].includes(state));
      });
    await gateway.manage('POST', `/posts/${postId}/withdraw`, { reason });
    await until('it is taken back', async () => {
      const { publications } = await gateway.manage('GET', `/posts/${postId}`);
      return (publications as { state: string }[]).every(({ state }) => state === 'withdrawn');
    });
    await until('its deliveries have ended', async () => {
      const text = `select count(*)::int as all, count(*) filter (where state = 'pending')::int as pending
        from webhook_deliveries.delivery where owner_id = $1`;
      const { rows } = await gateway.pool.query<{ all: number; pending: number }>(text, [this.owner]);
      return rows[0]!.all > 0 && rows[0]!.pending === 0;
    });
    return { words: [text, meta, agent, answer, error, filename, large, bytes, reason], postId, failedId };
  }
}

const waitForJob = (id: string): Promise<Answer['body']> =>
  until(`the job ${id} has ended`, async () => {
    const job = await gateway.manage('GET', `/jobs/${id}`);
    return job.state !== 'running' && job;
  });

const erase = async (owner: string, before: Date): Promise<Answer['body']> => {
  const job = await gateway.manage('POST', `/owners/${owner}/erase-content`, { before: before.toISOString() });
  const ended = await waitForJob(job.id);
  expect(ended).toMatchObject({ state: 'done', kind: 'erase-content' });
  return ended.result;
};

const findAll = async (words: readonly string[]): Promise<Record<string, readonly string[]>> => {
  const found: Record<string, readonly string[]> = {};
  for (const word of words) {
    const places = [...(await findInTables(gateway.pool, word)), ...(await findInFiles(folder, word))];
    if (places.length > 0) found[word] = places;
  }
  return found;
};

const expectGone = async ({ words, postId }: Written): Promise<void> => {
  expect(await findAll(words)).toEqual({});
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const exported = await (await fetch(`${gateway.url}/manage/v1/history/export`, { headers })).text();
  expect(exported).toContain(postId);
  for (const word of words) expect(exported).not.toContain(word);
  const post = await gateway.manage('GET', `/posts/${postId}`);
  expect(post).toMatchObject({ content_erased: true, excerpt: null, metadata: null, payload: null, media_count: null });
};

const expectKept = async ({ words, postId }: Written): Promise<void> => {
  const post = await gateway.manage('GET', `/posts/${postId}`);
  expect(post.payload.text).toBe(words[0]);
  expect(post).not.toHaveProperty('content_erased');
};

const expectSound = async (): Promise<void> => {
  const verification = await gateway.manage('POST', '/history/verify', {});
  expect((await waitForJob(verification.id)).result).toMatchObject({ broken: [] });
  for (const { name } of (await gateway.manage('GET', '/projections')).items as { name: string }[]) {
    const { id } = await gateway.manage('POST', `/projections/${name}/verify`);
    const { result } = await waitForJob(id);
    expect({ name, ...result }).toMatchObject({ name, missing: 0, extra: 0, different: 0, examples: [] });
  }
};

describe('content of months that are over', () => {
  it('is erased by hand, beside what stays: later months, other owners, and what is not settled', async () => {
    goTo(3);
    const [writer, other] = [await Writer.create(), await Writer.create()];
    const first = await writer.write();
    const ofOther = await other.write();
    goTo(2);
    const second = await writer.write();
    const publish_at = new Date(Date.now() + 30 * DAY).toISOString();
    const planned = (await writer.setup.endpoint.post('', { text: 'planned in the second month', publish_at })).body.id;
    goTo(0);
    const third = await writer.write();
    // So the search finds it while it is there.
    const found = await findAll([...first.words, ...ofOther.words]);
    const places = new Set(Object.values(found).flat());
    for (const table of ['posts_v1.post', 'posts_v1.post_words', 'posts_v1.publication', 'media_v1.file'])
      expect(places).toContain(table);
    for (const table of [
      'webhook_deliveries_v1.delivery',
      'webhook_deliveries_v1.delivery_body',
      'request_log_v1.request',
    ])
      expect(places).toContain(table);

    const result = await erase(writer.owner, firstOf(0));
    expect(result).toEqual({
      owner_id: writer.owner,
      months: [nameOf(3)],
      left: [{ month: nameOf(2), posts: 1, deliveries: 0 }],
    });
    await expectGone(first);
    for (const kept of [second, third, ofOther]) await expectKept(kept);
    // Nothing is sent again from what was erased.
    const refused = { status: 409, body: { code: 'content_erased' } };
    const edited = await gateway.callManagement('PUT', `/posts/${first.failedId}/content`, { text: 'new' });
    expect(edited).toMatchObject(refused);
    const { publications } = await gateway.manage('GET', `/posts/${first.failedId}`);
    expect(publications[0].attempts[0].error).toMatchObject({ platform_says: null });
    expect(await gateway.callManagement('POST', `/publications/${publications[0].id}/resend`)).toMatchObject(refused);
    const output = (await gateway.manage('GET', `/webhook-outputs?owner_id=${writer.owner}`)).items[0].id as string;
    const { items } = await gateway.manage('GET', `/webhook-outputs/${output}/deliveries`);
    const erased = (items as { id: string; content_erased?: true }[]).filter(({ content_erased }) => content_erased);
    expect(erased.length).toBeGreaterThan(0);
    expect(erased[0]).toMatchObject({ body: null, attempts: [{ status: 200, answer: null }] });
    expect(await gateway.callManagement('POST', `/deliveries/${erased[0]!.id}/retry`)).toMatchObject(refused);

    const published = await gateway.manage('GET', `/history/events?owner_id=${writer.owner}&limit=200`);
    const events = published.items as (EventJson & { content_erased?: true })[];
    expect(events.some(({ content_erased }) => content_erased)).toBe(true);
    const { vkey } = await gateway.manage('GET', '/history/log/key');
    const ofPlace = new Map(events.map((event) => [`${event.stream}@${event.revision}`, event]));
    for (const event of events.filter(({ content_erased }) => content_erased)) {
      const previous = ofPlace.get(`${event.stream}@${event.revision - 1}`);
      if (event.revision > 0 && !previous) continue;
      expect(await computeHash(event, previous?.hash ?? '')).toBe(event.hash);
    }
    const sample = events.find(({ content_erased }) => content_erased)!;
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    const proof = await fetch(`${gateway.url}/manage/v1/history/log/proof/${sample.id}`, { headers });
    await verifyInclusion(sample, await proof.text(), vkey);
    await expectSound();

    // Once the planned post has ended, a later run erases its month.
    await gateway.manage('POST', `/posts/${planned}/cancel`);
    expect(await erase(writer.owner, firstOf(0))).toMatchObject({ months: [nameOf(3), nameOf(2)], left: [] });
    await expectGone(second);
    for (const kept of [third, ofOther]) await expectKept(kept);
    const recorded = (await gateway.readAllEvents()).filter(({ type }) => type === 'OwnerContentErased');
    expect(recorded.map(({ data }) => (data as { months: string[] }).months)).toEqual([[nameOf(3)], [nameOf(2)]]);
    await expectSound();
  }, 300_000);

  it.each(['before', 'after'] as const)(
    'is erased once, if the gateway dies %s the event',
    async (moment) => {
      goTo(2);
      const writer = await Writer.create();
      const written = await writer.write();
      goTo(0);
      fault.now = moment;
      fault.count = 0;
      const job = await gateway.manage('POST', `/owners/${writer.owner}/erase-content`, {
        before: firstOf(0).toISOString(),
      });
      await until('it has died twice', async () => fault.count >= 2);
      // The keys are gone already: nothing in the log can be read any more.
      const { rows } = await gateway.pool.query(
        'select sealed from ops_content_key where owner_id = $1 and month = $2',
        [writer.owner, nameOf(2)],
      );
      expect(rows).toEqual([{ sealed: null }]);
      fault.now = 'none';
      expect((await waitForJob(job.id)).result).toMatchObject({ months: [nameOf(2)], left: [] });
      await expectGone(written);
      const events = await gateway.readEvents(`owner-${writer.owner}`);
      expect(events.filter(({ type }) => type === 'OwnerContentErased')).toHaveLength(1);
      await expectSound();
    },
    300_000,
  );

  it('is erased with its owner, also what is written later', async () => {
    const [writer, other] = [await Writer.create(), await Writer.create()];
    const written = await writer.write();
    const ofOther = await other.write();
    await gateway.callManagement('DELETE', `/owners/${writer.owner}`);
    await until('the erasure is recorded', async () =>
      (await gateway.readEvents(`owner-${writer.owner}`)).some(({ type }) => type === 'OwnerContentErased'),
    );
    await until('nothing is left', async () => Object.keys(await findAll(written.words)).length === 0);
    await expectKept(ofOther);
    await expectSound();
  }, 300_000);

  it('is erased by CONTENT_MONTHS, once a day, for all owners', async () => {
    goTo(3);
    const writer = await Writer.create();
    const first = await writer.write();
    goTo(1);
    const later = await writer.write();
    goTo(0);
    const none = {} as never;
    const { pool } = gateway;
    const keys = new ContentKeyTable(pool, none);
    const jobs = new JobTable(pool);
    const retention = new EraseContent(pool, none, keys, none, none, none, none, jobs, none, { now: () => Date.now() });
    for (let sweep = 0; sweep < 3; sweep++) await retention.startRetention(1);
    const started = async () =>
      (await jobs.list(undefined, null, 100)).filter(
        ({ kind, params }) => kind === 'erase-content' && params.owner_id === null,
      );
    await until('the job has ended', async () => (await started()).every(({ state }) => state === 'done'));
    expect(await started()).toHaveLength(1);
    const { erased } = (await started())[0]!.result as { erased: object[] };
    expect(erased).toContainEqual({ owner_id: writer.owner, months: [nameOf(3)], left: [] });
    await expectGone(first);
    await expectKept(later);
    await expectSound();
  }, 300_000);

  it('is asked for with a time that has passed', async () => {
    const owner = await gateway.createOwner();
    const ask = (before?: string) => gateway.callManagement('POST', `/owners/${owner}/erase-content`, { before });
    const future = new Date(Date.now() + DAY).toISOString();
    expect(await ask(future)).toMatchObject({ status: 422, body: { code: 'before_in_future' } });
    for (const nonsense of ['yesterday', '', undefined]) expect((await ask(nonsense)).status).toBe(422);
    expect(await erase(owner, new Date())).toEqual({ owner_id: owner, months: [], left: [] });
  });
});
