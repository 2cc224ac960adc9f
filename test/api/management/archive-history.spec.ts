// More than 20 s: months pass, and the history is archived at several moments of a crash.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveHistory } from '../../../src/commands/archive-history.js';
import { CheckedEventStore } from '../../../src/event-store/checked-event-store.js';
import type { EventStore } from '../../../src/event-store/port.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { JobTable } from '../../../src/jobs/job.js';
import { systemClock } from '../../../src/kernel/clock.js';
import { PostHorizon } from '../../../src/projections/posts/archived-posts.queries.js';
import { archiveFilesIn } from '../../../src/uploads/archive-files.js';
import { FolderStore } from '../../../src/uploads/folder-store.js';
import { until } from '../../e2e/until.js';
import { computeHash, type EventJson, verifyInclusion } from '../../history/webcrypto-verifier.js';
import { MINUTE_MS, WebhookSetup } from '../../sagas/deliver-webhooks/webhook-harness.js';
import { AppendFault } from '../../support/append-fault.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { type Answer, OPERATOR_KEY, TestGateway } from '../public/gateway.js';

const DAY = 24 * 3_600_000;
const now = new Date();
const firstOf = (monthsAgo: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo));
const nameOf = (monthsAgo: number): string => firstOf(monthsAgo).toISOString().slice(0, 7);
let ahead = 0;
/** Ids tell the time too, so the process as a whole goes there. */
const present = Date.now.bind(Date);
beforeAll(() => (Date.now = () => present() + ahead));
afterAll(() => (Date.now = present));
/** Goes to the middle of a month, or back to the present. */
const goTo = (monthsAgo: number): void => {
  ahead = monthsAgo === 0 ? 0 : firstOf(monthsAgo).getTime() + 14 * DAY - present();
};

/** Fail the events that name files, and those that move the horizon. */
const faults = { HistoryArchived: new AppendFault('HistoryArchived'), HorizonMoved: new AppendFault('HorizonMoved') };
const wrapEventStore = (store: EventStore): EventStore => faults.HorizonMoved.wrap(faults.HistoryArchived.wrap(store));

let folder: string;
let gateway: TestGateway;
let receiver: WebhookReceiver;
let setup: WebhookSetup;
let output: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-history-'));
  const env = {
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    MINUTE_MS: String(MINUTE_MS),
    MEDIA_STORE: join(folder, 'uploads'),
    DATA_DIR: join(folder, 'data'),
  };
  gateway = await TestGateway.start(env, undefined, { wrapEventStore });
  receiver = await WebhookReceiver.start();
  goTo(4);
  setup = await WebhookSetup.create(gateway);
  output = (await setup.createOutput(receiver, { kinds: ['post.published', 'publication.succeeded'] })).id as string;
});
afterEach(async () => {
  await gateway.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

const listDeliveries = async (postId: string): Promise<{ readonly id: string; readonly state: string }[]> => {
  const { items } = await gateway.manage('GET', `/webhook-outputs/${output}/deliveries?limit=200`);
  return (items as { id: string; state: string }[]).filter((delivery) => JSON.stringify(delivery).includes(postId));
};

interface Published {
  readonly id: string;
  readonly key: string;
  readonly text: string;
  readonly deliveryIds: readonly string[];
}

let number = 0;
/** Publishes a post, with a delivery for each of its events. */
const publish = async (): Promise<Published> => {
  const [text, key] = [`old news ${number++}`, `key-${number}`];
  const answer = await setup.endpoint.post('', { text, metadata: { n: number } }, { 'idempotency-key': key });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const { id } = answer.body as { id: string };
  const delivered = await until('it is published and delivered', async () => {
    const deliveries = await listDeliveries(id);
    return deliveries.length === 2 && deliveries.every(({ state }) => state === 'delivered') && deliveries;
  });
  return { id, key, text, deliveryIds: delivered.map((delivery) => delivery.id) };
};

const waitForJob = (id: string): Promise<Answer['body']> =>
  until('the job has ended', async () => {
    const job = await gateway.manage('GET', `/jobs/${id}`);
    return job.state !== 'running' && job;
  });
const archive = async (body: object): Promise<Answer['body']> => {
  const ended = await waitForJob((await gateway.manage('POST', '/history/archive', body)).id);
  expect(ended).toMatchObject({ state: 'done', kind: 'archive-history' });
  return ended.result;
};

const countEvents = async (kind: string): Promise<number> => {
  const text = `select count(*)::int as n from event_store.event where stream like $1`;
  return (await gateway.pool.query<{ n: number }>(text, [`${kind}-%`])).rows[0]!.n;
};

const GROWING = ['posts.post', 'posts.publication', 'posts.post_words', 'webhook_deliveries.delivery'];
/** Counts the rows of the tables that grow with posts. */
const countRows = async (): Promise<Record<string, number>> => {
  const counts = GROWING.map((table) => `'${table}', (select count(*) from ${table})`);
  const text = `select jsonb_build_object(${counts.join(', ')}) as counts`;
  return (await gateway.pool.query<{ counts: Record<string, number> }>(text)).rows[0]!.counts;
};
const rowsOf = (posts: number) => ({
  'posts.post': posts,
  'posts.publication': posts,
  'posts.post_words': posts,
  'webhook_deliveries.delivery': 2 * posts,
});

/** Reads everything that the gateway answers about a post and its history. */
const readAnswers = async (published: readonly Published[]): Promise<unknown> => {
  const answers: unknown[] = [];
  for (const { id, deliveryIds } of published) {
    const post = await gateway.manage('GET', `/posts/${id}`);
    const [publication] = post.publications as { id: string; published_at: string }[];
    const at = publication!.published_at;
    const until = firstOf(-1).toISOString();
    const history = await gateway.manage('GET', `/history/post/${id}?at=${until}`);
    answers.push(
      post,
      (await setup.endpoint.readPost(id)).body,
      await gateway.manage('GET', `/publications/${publication!.id}`),
      history,
      await gateway.manage('GET', `/history/post/${id}?at=${at}`),
      await gateway.manage('GET', `/history/publication/${publication!.id}?at=${until}`),
      await gateway.manage('GET', `/history/trace/${id}`),
      await gateway.manage('GET', `/history/events?aggregate=post&id=${id}`),
      await gateway.manage('GET', `/deliveries/${deliveryIds[0]}`),
    );
  }
  return answers;
};

/** Reads what /readyz says of the archive. */
const readProblem = async (): Promise<string | null> => {
  const { degraded } = (await gateway.call('GET', '/readyz')).body as { degraded: { name: string; reason: string }[] };
  return degraded.find(({ name }) => name === 'archive')?.reason ?? null;
};

const expectSound = async (): Promise<void> => {
  const verification = await gateway.manage('POST', '/history/verify', {});
  const { result } = await waitForJob(verification.id);
  expect(result).toMatchObject({ broken: [] });
  for (const { name } of (await gateway.manage('GET', '/projections')).items as { name: string }[]) {
    const { id } = await gateway.manage('POST', `/projections/${name}/verify`);
    expect({ name, ...(await waitForJob(id)).result }).toMatchObject({ name, missing: 0, extra: 0, different: 0 });
  }
};

const expectProof = async (id: string): Promise<void> => {
  const { events } = await gateway.manage('GET', `/history/post/${id}`);
  const [event] = events as EventJson[];
  expect(await computeHash(event!, '')).toBe(event!.hash);
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const proof = await fetch(`${gateway.url}/manage/v1/history/log/proof/${event!.id}`, { headers });
  const { vkey } = await gateway.manage('GET', '/history/log/key');
  await verifyInclusion(event!, await proof.text(), vkey);
};

it('moves months that are over into files, after which every answer is the same', async () => {
  goTo(4);
  const first = await publish();
  goTo(3);
  const second = await publish();
  goTo(1);
  const third = await publish();
  goTo(0);
  const fourth = await publish();
  const all = [first, second, third, fourth];
  const before = await readAnswers(all);
  const [events, rows] = [await countEvents('publication'), await countRows()];
  expect(rows).toEqual(rowsOf(4));
  const horizon = firstOf(2).toISOString();

  const counted = await archive({ before: firstOf(2).toISOString(), dry_run: true });
  expect(counted).toMatchObject({ months: [{ month: nameOf(4) }, { month: nameOf(3) }], left: null });
  expect(await countEvents('publication')).toBe(events);
  expect(await countRows()).toEqual(rows);
  expect(await gateway.manage('GET', '/posts')).not.toHaveProperty('archived_before');
  expect(await gateway.readEvents('archive-history')).toEqual([]);

  expect(await archive({ before: firstOf(2).toISOString() })).toEqual(counted);
  const named = (await gateway.readEvents('archive-history')).filter(({ type }) => type === 'HistoryArchived');
  expect(named.map(({ data }) => (data as { month: string }).month)).toEqual([nameOf(4), nameOf(3)]);
  expect(await readdir(join(folder, 'uploads', 'archive'))).toHaveLength(2);
  for (const kind of ['post', 'publication', 'delivery']) {
    const left = await gateway.pool.query<{ stream: string }>(
      'select distinct stream from event_store.event where stream like $1',
      [`${kind}-%`],
    );
    expect(left.rows.length).toBe(kind === 'delivery' ? 4 : 2);
  }
  expect(await countRows()).toEqual(rowsOf(2));
  expect(await readAnswers(all)).toEqual(before);
  for (const { id } of all) await expectProof(id);
  const listed = async (path: string) => {
    const { items, next, archived_before } = await gateway.manage('GET', path);
    return { n: (items as unknown[]).length, next: next as string | null, archived_before: archived_before as unknown };
  };
  const page = await listed('/posts?limit=1');
  expect(page).toEqual({ n: 1, next: expect.any(String) as unknown });
  expect(await listed(`/posts?limit=1&cursor=${page.next}`)).toEqual({ n: 1, next: null, archived_before: horizon });
  expect(await listed('/posts?text=news')).toEqual({ n: 2, next: null, archived_before: horizon });
  expect(await listed(`/webhook-outputs/${output}/deliveries`)).toMatchObject({ n: 4, archived_before: horizon });
  expect(await listed(`/channels/${setup.channel.id}/receipts`)).toMatchObject({ n: 2, archived_before: horizon });
  expect((await setup.endpoint.listPosts()).body).toMatchObject({ archived_before: horizon });
  expect(await gateway.callManagement('POST', `/deliveries/${first.deliveryIds[0]}/retry`, {})).toMatchObject({
    status: 409,
    body: { code: 'archived' },
  });
  await expectSound();
  expect(await archive({ before: firstOf(2).toISOString() })).toEqual({ months: [], left: null, unknown_files: [] });
  const other = 'archive/2020-01-0000000000000000001-ab.jsonl.gz';
  await writeFile(join(folder, 'uploads', other), 'of a database that was restored to a moment before it');
  expect(await readProblem()).toBeNull();
  expect(await archive({ before: firstOf(2).toISOString() })).toMatchObject({ unknown_files: [other] });
  await until('/readyz names it', async () => (await readProblem())?.includes(other));
}, 300_000);

it('goes on with archived posts: a key is used again, a post is taken back', async () => {
  goTo(3);
  const { id, key, text, deliveryIds } = await publish();
  goTo(0);
  await archive({ before: firstOf(2).toISOString() });
  const again = await setup.endpoint.post('', { text: 'much later' }, { 'idempotency-key': key });
  expect(again.status).toBe(200);
  expect(again.body.id).not.toBe(id);
  await gateway.waitForText(setup.channel.chatId, 'much later');
  expect(await gateway.manage('GET', `/posts/${again.body.id}`)).toMatchObject({ payload: { text: 'much later' } });
  expect(await gateway.manage('GET', `/posts/${id}`)).toMatchObject({ payload: { text } });

  await gateway.manage('POST', `/posts/${id}/withdraw`, {});
  await until('it is taken back', async () => {
    const { publications } = await gateway.manage('GET', `/posts/${id}`);
    return (publications as { state: string }[]).every(({ state }) => state === 'withdrawn');
  });
  await expectSound();

  await gateway.pool.query('delete from posts.horizon'); // as if it had yet to move in that read model
  expect(await gateway.manage('GET', `/deliveries/${deliveryIds[0]}`)).toMatchObject({ state: 'delivered' });
}, 300_000);

/** Sends a post that the network refuses. */
const fail = async (text: string): Promise<{ readonly id: string; readonly publication: string }> => {
  const body = { ok: false, error_code: 400, description: 'Bad Request: not today' };
  await gateway.telegram.addFault({ mode: 'answer', status: 400, body, channel: setup.channel.chatId });
  const id = await setup.sendPost(text);
  return { id, publication: (await waitForState(id, 'failed')).id };
};
const waitForState = (postId: string, state: string): Promise<Answer['body']> =>
  until(`${postId} is ${state}`, async () => {
    const [publication] = (await gateway.manage('GET', `/posts/${postId}`)).publications;
    return publication.state === state && publication;
  });
const readTexts = async (): Promise<readonly string[]> =>
  (await gateway.telegram.readMessages({ channel: setup.channel.chatId })).map(({ text }) => text);

it('sends archived posts again that failed, and lets people look at what became of them', async () => {
  goTo(3);
  const [resent, doubtful, dismissed] = [await fail('once more'), await fail('who knows'), await fail('never')];
  goTo(0);
  await archive({ before: firstOf(2).toISOString() });
  expect(await countRows()).toEqual(rowsOf(0));

  const act = (publication: string, action: string) => gateway.manage('POST', `/publications/${publication}/${action}`);
  expect(await act(resent.publication, 'resend')).toMatchObject({ state: 'queued' });
  const published = await waitForState(resent.id, 'published');
  expect(published).toMatchObject({ attempts: [{ outcome: 'failed' }, { outcome: 'published' }] });
  const again = await gateway.callManagement('POST', `/publications/${resent.publication}/resend`, {});
  expect(again).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
  await until('its webhooks are delivered', async () => (await listDeliveries(resent.id)).length === 2);

  expect(await act(dismissed.publication, 'dismiss')).toMatchObject({ state: 'dismissed' });
  await gateway.telegram.addFault({ mode: 'accept_then_drop', channel: setup.channel.chatId });
  await act(doubtful.publication, 'resend');
  await waitForState(doubtful.id, 'in_doubt');
  expect((await gateway.manage('GET', '/overview')).attention).toContainEqual(
    expect.objectContaining({
      code: 'in_doubt',
      subject: expect.objectContaining({ post_id: doubtful.id, channel_name: 'News', excerpt: 'who knows' }) as unknown,
    }),
  );
  await act(doubtful.publication, 'dismiss');
  expect(await readTexts()).toEqual(['once more', 'who knows']);
  await expectSound();
}, 300_000);

it('edits archived posts', async () => {
  goTo(3);
  const [byClient, byOwner] = [await publish(), await publish()];
  const write = (text: string, query = '') =>
    setup.endpoint.send('PUT', `posts/${byClient.id}/content${query}`, { text });
  const untilShown = (id: string, revision: number) =>
    until(`revision ${revision}`, async () => {
      const [publication] = (await setup.endpoint.readPost(id)).body.publications;
      return publication.content_version === revision && publication.edit === null;
    });
  goTo(0);
  await write('edited before');
  await untilShown(byClient.id, 2);
  const before = await readAnswers([byClient, byOwner]);
  await archive({ before: firstOf(2).toISOString() });
  expect(await countRows()).toEqual(rowsOf(0));
  expect(await readAnswers([byClient, byOwner])).toEqual(before);

  const tried = await write('edited', '?dry_run=true');
  expect(tried.body).toMatchObject({ revision: 3, publications: [{ requests: [{ method: 'editMessageText' }] }] });
  expect(await write('edited')).toMatchObject({ status: 200, body: { revision: 3, state: 'released' } });
  await untilShown(byClient.id, 3);
  const outdated = await setup.endpoint.send(
    'PUT',
    `posts/${byClient.id}/content`,
    { text: 'x' },
    { 'if-match': '"2"' },
  );
  expect(outdated).toMatchObject({ status: 412, body: { code: 'revision_mismatch' } });
  await gateway.manage('PUT', `/posts/${byOwner.id}/content`, { text: 'by its owner' });
  await untilShown(byOwner.id, 2);
  expect(await readTexts()).toEqual(['edited', 'by its owner']);
  expect(await gateway.manage('GET', `/posts/${byOwner.id}`)).toMatchObject({ payload: { text: 'by its owner' } });
  const { events } = await gateway.manage('GET', `/history/post/${byClient.id}`);
  expect(events.filter(({ type }: EventJson) => type === 'PostEdited')).toHaveLength(2);

  const [{ id }] = (await gateway.manage('GET', `/posts/${byOwner.id}`)).publications;
  await gateway.manage('POST', `/publications/${id}/withdraw`, {});
  await waitForState(byOwner.id, 'withdrawn');
  expect(await readTexts()).toEqual(['edited']);
  await expectSound();
}, 300_000);

it.each([
  ['before', 'HistoryArchived'],
  ['after', 'HistoryArchived'],
  ['before', 'HorizonMoved'],
  ['after', 'HorizonMoved'],
] as const)(
  'goes on after a crash %s the event %s',
  async (moment, type) => {
    goTo(3);
    const published = await publish();
    goTo(0);
    const before = await readAnswers([published]);
    const fault = faults[type];
    fault.now = moment;
    fault.count = 0;
    const archiving = archive({ before: firstOf(2).toISOString() });
    await until('it has died', () => fault.count > 0);
    fault.now = 'none';
    expect(await archiving).toMatchObject({ left: null });
    const types = (await gateway.readEvents('archive-history')).map((event) => event.type);
    expect(types).toEqual(['HistoryArchived', 'HorizonMoved']);
    expect(await countRows()).toEqual(rowsOf(0));
    expect(await readAnswers([published])).toEqual(before);
    await expectSound();
  },
  300_000,
);

it('lets read models go of old posts if the server of the event store keeps its events itself', async () => {
  goTo(3);
  const first = await publish();
  goTo(0);
  const second = await publish();
  const [before, events] = [await readAnswers([first, second]), await countEvents('publication')];
  const archiveOf = Object.getOwnPropertyDescriptor(CheckedEventStore.prototype, 'archive')!;
  Object.defineProperty(CheckedEventStore.prototype, 'archive', { ...archiveOf, get: () => null });
  expect(await archive({ before: firstOf(2).toISOString() })).toEqual({ months: [], left: null, unknown_files: [] });
  Object.defineProperty(CheckedEventStore.prototype, 'archive', archiveOf);
  expect(await countEvents('publication')).toBe(events);
  expect(await countRows()).toEqual(rowsOf(1));
  expect(await readAnswers([first, second])).toEqual(before);
  await expectSound();
}, 300_000);

it('leaves the first month in which something is not settled, and all after it', async () => {
  goTo(3);
  const settled = await publish();
  goTo(2);
  const publish_at = new Date(present() + 30 * DAY).toISOString();
  const planned = await setup.sendPost('planned long before', { publish_at });
  goTo(1);
  await publish();
  goTo(0);
  expect(await archive({ before: firstOf(0).toISOString() })).toMatchObject({
    months: [{ month: nameOf(3) }],
    left: { month: nameOf(2), posts: 1, deliveries: 0 },
  });
  await gateway.manage('POST', `/posts/${planned}/cancel`);
  expect(await archive({ before: firstOf(0).toISOString() })).toMatchObject({
    months: [{ month: nameOf(2) }, { month: nameOf(1) }],
    left: null,
  });
  expect(await gateway.manage('GET', `/posts/${settled.id}`)).toMatchObject({ id: settled.id });
  await expectSound();
}, 300_000);

it('is started by ARCHIVE_MONTHS, once a day, if there is something to archive', async () => {
  const none = {} as never;
  const jobs = new JobTable(gateway.pool);
  await gateway.pool.query(`delete from ops_job where kind = 'archive-history'`);
  const { connectionString } = gateway.infrastructure;
  const openArchive = async () => archiveFilesIn(new FolderStore(join(folder, 'uploads'), 0));
  const store = new PostgresEventStore({ connectionString, openArchive });
  const checked = store as unknown as CheckedEventStore;
  const horizon = new PostHorizon(gateway.pool);
  const archiving = new ArchiveHistory(checked, none, none, horizon, none, none, none, jobs, none, systemClock);
  await archiving.startByAge(2);
  expect(await jobs.list(undefined, null, 100)).not.toContainEqual(
    expect.objectContaining({ kind: 'archive-history' }),
  );
  goTo(3);
  const { id } = await publish();
  goTo(0);
  for (let sweep = 0; sweep < 3; sweep++) await archiving.startByAge(2);
  const started = (await jobs.list(undefined, null, 100)).filter(({ kind }) => kind === 'archive-history');
  expect(started).toHaveLength(1);
  expect((await waitForJob(started[0]!.id)).result).toMatchObject({ months: [{ month: nameOf(3) }] });
  expect(await gateway.manage('GET', `/posts/${id}`)).toMatchObject({ id });
  await store.close();
}, 300_000);

it('is refused for others than the operator, and for a time that has not passed', async () => {
  const ask = (body: object) => gateway.callManagement('POST', '/history/archive', body);
  const future = new Date(Date.now() + DAY).toISOString();
  expect(await ask({ before: future })).toMatchObject({ status: 422, body: { code: 'before_in_future' } });
  for (const before of ['yesterday', '', undefined]) expect((await ask({ before })).status).toBe(422);
  expect((await ask({ before: firstOf(2).toISOString(), dry_run: 'yes' })).status).toBe(422);
});
