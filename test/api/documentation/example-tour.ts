import type { OpenApiDocument } from '../../../src/api/documentation/openapi-document.js';
import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import {
  Caller,
  type ManagementHarness,
  OPERATOR_KEY,
  operatorCaller,
  startHarness,
} from '../management/management-harness.js';
import { ExampleRecorder, type RecordedExample } from './example-recorder.js';

const MANAGE = '/manage/v1';
const POST = {
  text: 'Our autumn catalogue is here',
  entities: [{ type: 'bold', offset: 4, length: 6 }],
  buttons: [[{ text: 'Read it', url: 'https://shop.example.com/catalogue' }]],
  external_id: 'article-17',
  metadata: { author: 'Ann' },
};

/** Calls all routes that have something to show, as an owner and an operator. Returns the calls and the description. */
export const takeExampleTour = async (): Promise<{
  readonly document: OpenApiDocument;
  readonly examples: ReadonlyMap<string, RecordedExample>;
}> => {
  const receiver = await WebhookReceiver.start();
  const harness = await startHarness({ MEDIA_PROBE: 'off', ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  const copy = await startHarness();
  const tour = new ExampleTour(harness, receiver);
  try {
    await tour.setUp();
    await tour.upload();
    await tour.publish();
    await tour.deliver();
    await tour.plan();
    await tour.pauseAndCancel();
    await tour.settleFailures();
    await tour.edit();
    await tour.takeBack();
    await tour.changeSecrets();
    await tour.lookBack();
    await tour.operate(copy);
    const document = (await (await fetch(`${harness.url}/openapi.json`)).json()) as OpenApiDocument;
    return { document, examples: tour.recorder.examples };
  } finally {
    await harness.stop();
    await copy.stop();
    await receiver.close();
  }
};

class ExampleTour {
  readonly recorder: ExampleRecorder;
  private owner = '';
  private key = '';
  private channel = '';
  private project = '';
  private endpoint = { id: '', slug: '', token: '' };
  private post = '';
  private readonly startedAt = Date.now();

  constructor(
    private readonly harness: ManagementHarness,
    private readonly receiver: WebhookReceiver,
  ) {
    this.recorder = new ExampleRecorder(harness.url, {
      [harness.url]: 'https://crosspost.example',
      [receiver.url]: 'https://shop.example.com/hooks',
      ...Object.fromEntries([2, 3, 7, 8].map((days) => [this.inDays(days), `2026-12-0${days}T09:00:00.000Z`])),
    });
  }

  async setUp(): Promise<void> {
    const owner = await this.operator('POST', '/owners', [], { name: 'Corner Shop', plan: 'business', locale: 'en' });
    this.owner = owner.id;
    this.key = (await this.operator('POST', '/owners/:id/rotate-key', [this.owner], { overlap_minutes: 0 })).key;
    await this.operator('PATCH', '/owners/:id', [this.owner], { name: 'The Corner Shop', locale: 'ru' });
    await this.operator('POST', '/owners/:id/post-packs', [this.owner], { posts: 100 });
    await this.operator('POST', '/owners/:id/erase-content', [this.owner], { before: '2026-01-01T00:00:00Z' });
    await this.operator('GET', '/owners/:id', [this.owner]);
    await this.operator('GET', '/owners', [], undefined, 'limit=2');
    await this.manage('GET', '/plans');

    await this.manage('GET', '/me');
    const key = await this.manage('POST', '/keys', [], { name: 'Anna', scopes: ['post', 'approve'] });
    await this.manage('PATCH', '/keys/:id', [key.id], { name: 'Anna B.' });
    await this.manage('POST', '/keys/:id/rotate', [key.id], { overlap_minutes: 60 });
    await this.manage('GET', '/keys/:id', [key.id]);
    await this.manage('GET', '/keys', [], undefined, 'limit=2');
    await this.manage('DELETE', '/keys/:id', [key.id]);

    const credentials = { bot_token: '123456:ABC', chat_id: '@corner_shop' };
    const channel = await this.manage('POST', '/channels', [], { platform: 'telegram', name: 'News', credentials });
    this.channel = channel.id;
    await this.manage('PATCH', '/channels/:id', [this.channel], { name: 'Shop news' });
    await this.manage('POST', '/channels/:id/test', [this.channel]);
    await this.manage('GET', '/channels/:id', [this.channel]);
    await this.manage('GET', '/channels', [], undefined, 'limit=2');

    const processing = { filters: [{ mode: 'exclude', words: ['draft'] }], replacements: [{ from: 'EUR', to: '€' }] };
    const ofProject = { name: 'All channels', channel_ids: [this.channel], processing };
    this.project = (await this.manage('POST', '/projects', [], ofProject)).id;
    await this.manage('PATCH', '/projects/:id', [this.project], { name: 'Everywhere' });
    await this.manage('POST', '/projects/:id/preview', [this.project], { text: 'The autumn catalogue is here' });
    await this.manage('GET', '/projects/:id', [this.project]);
    await this.manage('GET', '/projects', [], undefined, 'limit=2');

    const ofEndpoint = { name: 'Shop', project_ids: [this.project], mode: 'live', min_interval: 1 };
    this.endpoint = await this.manage('POST', '/endpoints', [], ofEndpoint);
    await this.manage('PATCH', '/endpoints/:id', [this.endpoint.id], { name: 'Web shop', require_timestamp: false });
    await this.manage('GET', '/endpoints/:id', [this.endpoint.id]);
    await this.manage('GET', '/endpoints', [], undefined, 'limit=2');

    const draft = { title: 'Open on Sunday', endpoint_id: this.endpoint.id, content: { text: 'Open on Sunday' } };
    const { id } = await this.manage('POST', '/drafts', [], draft);
    await this.manage('GET', '/drafts/:id', [id]);
    // Without If-Match.
    await this.recorder.call(`PUT ${MANAGE}/drafts/:id`, { ids: [id], key: this.key, body: draft }, 428);
    await this.manage('GET', '/drafts', [], undefined, 'limit=2');
  }

  async upload(): Promise<void> {
    const file = png(640, 480);
    await this.recorder.upload('POST /v1/media', this.endpoint.token, file);
    const { id } = await this.recorder.upload(`POST ${MANAGE}/media`, this.key, file);
    await this.manage('GET', '/media/:id', [id]);
    await this.manage('GET', '/media', [], undefined, 'limit=2');
  }

  async publish(): Promise<void> {
    await this.client('POST', '/v1/sandbox/test', [], POST);
    this.post = (await this.client('POST', '/v1/webhooks/:slug', [this.endpoint.slug], POST)).id;
    const { id } = await this.waitFor(this.post, 'published');
    await this.client('GET', '/v1/webhooks/:slug/posts/:post_id', [this.endpoint.slug, this.post]);
    await this.client('GET', '/v1/webhooks/:slug/info', [this.endpoint.slug]);
    await this.manage('POST', '/endpoints/:id/sandbox', [this.endpoint.id], { text: 'Only a try' });
    await this.sendPost({ text: 'Open until ten tonight' });
    await this.manage('GET', '/posts/:id', [this.post]);
    await this.manage('GET', '/posts', [], undefined, 'limit=1');
    await this.manage('GET', '/publications/:id', [id]);
    await this.manage('GET', '/channels/:id/receipts', [this.channel], undefined, 'limit=2');
    await this.manage('POST', '/posts/:id/statistics', [this.post]);
    await this.manage('GET', '/posts/:id/statistics', [this.post]);
    await this.manage('GET', '/channels/:id/statistics', [this.channel], undefined, `since=${this.inDays(0)}`);
    await this.manage('GET', '/statistics/top', [], undefined, 'by=views&limit=2');
    await this.manage('GET', '/statistics.csv');
    await this.manage('GET', '/endpoints/:id/requests', [this.endpoint.id], undefined, 'limit=1');
    await this.manage('GET', '/overview');
    const rename = () => this.manage('PATCH', '/channels/:id', [this.channel], { name: 'News of the shop' });
    await this.recorder.readFirstEvent(`GET ${MANAGE}/stream`, this.key, rename);
  }

  async deliver(): Promise<void> {
    const kinds = ['post.published', 'publication.failed'];
    const output = { project_id: this.project, url: this.receiver.url, kinds };
    const { id } = await this.manage('POST', '/webhook-outputs', [], output);
    await this.manage('PATCH', '/webhook-outputs/:id', [id], { kinds: ['post.published'] });
    await this.manage('GET', '/webhook-outputs/:id', [id]);
    await this.manage('GET', '/webhook-outputs', [], undefined, 'limit=2');
    const delivery = await this.manage('POST', '/webhook-outputs/:id/test', [id]);
    await until('the test is delivered', async () => {
      const { body } = await new Caller(this.harness, this.key).get(`/deliveries/${delivery.id}`).expect(200);
      return body.state === 'delivered';
    });
    await this.manage('GET', '/deliveries/:id', [delivery.id]);
    await this.manage('GET', '/webhook-outputs/:id/deliveries', [id], undefined, 'limit=1');
    await this.manage('POST', '/deliveries/:id/retry', [delivery.id]);
    await this.manage('POST', '/webhook-outputs/:id/retry-failed', [id], { since: '2026-11-26T08:00:00.000Z' });
    await this.manage('POST', '/webhook-outputs/:id/rotate-secret', [id], { overlap_minutes: 60 });
    await this.manage('POST', '/webhook-outputs/:id/disable', [id]);
    await this.manage('POST', '/webhook-outputs/:id/enable', [id]);
  }

  async plan(): Promise<void> {
    const sale = { text: 'The sale begins', publish_at: this.inDays(7) };
    const sunday = { text: 'Open on Sunday', publish_at: this.inDays(2) };
    const planned = await this.sendPost(sale);
    await this.manage('PATCH', '/posts/:id', [planned], { publish_at: this.inDays(8) });
    await this.manage('PUT', '/posts/:id/payload', [planned], { ...sale, text: 'The sale begins!' });

    const settings = { project_ids: [this.project], mode: 'live' };
    const { id, slug, token: key } = await this.manage('POST', '/endpoints', [], settings);
    const { id: post } = await this.manage('POST', '/endpoints/:id/posts', [id], sunday);
    const list = { ids: [slug], key, query: 'state=planned&limit=2' };
    await this.recorder.call('GET /v1/webhooks/:slug/posts', list);
    const change = (method: string, body?: object) =>
      this.recorder.call(`${method} /v1/webhooks/:slug/posts/:post_id`, { ids: [slug, post], key, body });
    await change('PATCH', { publish_at: this.inDays(3) });
    await change('PUT', sunday);
    await change('DELETE');
    await this.decide();
  }

  /** Approves and rejects posts that wait for approval. */
  private async decide(): Promise<void> {
    const settings = { name: 'Interns', project_ids: [this.project], mode: 'live', requires_approval: true };
    const send = async (text: string): Promise<string> => {
      const { id } = await this.manage('POST', '/endpoints', [], settings);
      return (await this.manage('POST', '/endpoints/:id/posts', [id], { text })).id;
    };
    await this.manage('POST', '/posts/:id/approve', [await send('We are hiring')], { note: 'Good.', revision: 1 });
    await this.manage('POST', '/posts/:id/reject', [await send('Cakes for 5')], { reason: 'The price is wrong.' });
  }

  async pauseAndCancel(): Promise<void> {
    const { slug } = this.endpoint;
    await this.manage('POST', '/channels/:id/pause', [this.channel], { minutes: 30 });
    await this.manage('POST', '/projects/:id/pause', [this.project], { minutes: 30 });
    await this.cancelPublication(await this.sendPost({ text: 'Sold out' }));
    await this.manage('POST', '/posts/:id/cancel', [await this.sendPost({ text: 'Sold out again' })]);
    await this.manage('POST', '/channels/:id/resume', [this.channel]);
    await this.manage('POST', '/projects/:id/resume', [this.project]);
    await this.client('POST', '/v1/webhooks/:slug/temp-pause', [slug], { project_minutes: 5 });
    await this.client('POST', '/v1/webhooks/:slug/temp-resume', [slug], { scope: 'all' });
  }

  async settleFailures(): Promise<void> {
    const description = 'Bad Request: message is too strange';
    await this.harness.telegram.addFault({
      mode: 'answer',
      method: 'sendMessage',
      times: null,
      status: 400,
      body: { ok: false, error_code: 400, description },
    });
    const [first, second] = [await this.sendPost({ text: 'Strange' }), await this.sendPost({ text: 'Stranger' })];
    const [{ id: resent }, { id: dismissed }] = [
      await this.waitFor(first, 'failed'),
      await this.waitFor(second, 'failed'),
    ];
    await this.harness.telegram.clearFaults();
    await this.manage('POST', '/publications/:id/resend', [resent]);
    await this.manage('POST', '/publications/:id/dismiss', [dismissed]);
  }

  async edit(): Promise<void> {
    const { external_id: _, metadata: _metadata, ...content } = POST;
    await this.waitFor(this.post, 'published');
    const [first, second] = ['Our autumn catalogue is out', 'Our autumn catalogue is out!'];
    const ids = [this.endpoint.slug, this.post];
    await this.client('PUT', '/v1/webhooks/:slug/posts/:post_id/content', ids, { ...content, text: first });
    await this.manage('PUT', '/posts/:id/content', [this.post], { ...content, text: second });
  }

  async takeBack(): Promise<void> {
    const body = { reason: 'The price is wrong.' };
    const { id } = await this.waitFor(this.post, 'published');
    await this.client('POST', '/v1/webhooks/:slug/posts/:post_id/withdraw', [this.endpoint.slug, this.post], body);
    await this.manage('POST', '/posts/:id/withdraw', [this.post], { targets: [this.channel], ...body });
    await this.manage('POST', '/publications/:id/withdraw', [id], body);
  }

  async changeSecrets(): Promise<void> {
    const { id } = this.endpoint;
    await this.manage('POST', '/endpoints/:id/rotate-secret', [id], { overlap_minutes: 60 });
    await this.manage('POST', '/endpoints/:id/rotate-token', [id]);
    await this.manage('POST', '/endpoints/:id/cancel-planned', [id], { since: '2026-11-27T13:00:00Z' });
    await this.manage('POST', '/endpoints/:id/rotate-slug', [id]);
    await this.manage('POST', '/endpoints/:id/disable', [id]);
    await this.manage('POST', '/endpoints/:id/enable', [id]);
    await this.manage('POST', '/endpoints/console', [], { project_ids: [this.project] });
    const { id: session } = await this.manage('POST', '/sessions', [], { remember: true });
    await this.manage('GET', '/sessions', []);
    await this.manage('DELETE', '/sessions/:id', [session]);
  }

  async lookBack(): Promise<void> {
    const { items } = await this.manage('GET', '/history/events', [], undefined, 'limit=2');
    const since = `from=${items[1].at}`;
    await this.manage('GET', '/history', [], undefined, `at=${items[0].at}`);
    await this.manage('GET', '/history/:aggregate/:id', ['endpoint', this.endpoint.id], undefined, 'limit=2');
    await this.manage('GET', '/history/:aggregate/:id/diff', ['endpoint', this.endpoint.id], undefined, since);
    await this.manage('GET', '/history/diff', [], undefined, since);
    await this.manage('GET', '/history/ticks', [], undefined, 'buckets=2');
    await this.manage('GET', '/history/trace/:id', [this.post]);
    await this.operator('GET', '/history/log/key');
    await this.operator('GET', '/history/log/ended');
    await this.operator('GET', '/history/log/checkpoint');
    await this.operator('GET', '/history/log/proof/:event', [items[0].id]);
  }

  async operate(copy: ManagementHarness): Promise<void> {
    await this.finish(
      await this.operator('POST', '/history/archive', [], { before: '2025-01-01T00:00:00Z', dry_run: true }),
    );
    await this.finish(
      await this.operator('POST', '/history/verify', [], { aggregate: 'endpoint', id: this.endpoint.id }),
    );
    await this.operator('GET', '/projections', [], undefined, 'limit=2');
    await this.operator('GET', '/projections/:name', ['posts']);
    await this.finish(await this.operator('POST', '/projections/:name/rebuild', ['posts'], { promote: 'manual' }));
    await this.operator('POST', '/projections/:name/promote', ['posts']);
    await this.operator('POST', '/projections/:name/rollback', ['posts']);
    await this.finish(await this.operator('POST', '/projections/:name/verify', ['posts']));
    const skip = { ids: ['posts'], key: OPERATOR_KEY, body: { reason: 'Written by a version with a bug' } };
    await this.recorder.call(`POST ${MANAGE}/projections/:name/skip`, skip, 409); // it is not stuck at an event
    await this.operator('GET', '/recovery');
    await this.operator('POST', '/recovery/confirm', [], { planned: 'keep', in_doubt: 'dismiss' });
    await this.operator('GET', '/sagas');
    await this.operator('GET', '/sagas/:name', ['schedule-deliveries']);
    const leaveOut = { position: '4711', reason: 'Damaged; the customer knows' };
    const skipOfSaga = { ids: ['schedule-deliveries'], key: OPERATOR_KEY, body: leaveOut };
    await this.recorder.call(`POST ${MANAGE}/sagas/:name/skip`, skipOfSaga, 409); // it is not failing at an event
    await this.operator('GET', '/secrets');
    await this.finish(await this.operator('POST', '/secrets/reseal'));
    await this.operator('GET', '/jobs', [], undefined, 'limit=1');
    const lines = await this.operator('GET', '/history/export', [], undefined, 'secrets=sealed');
    const keys = await this.operator('GET', '/history/export', [], undefined, 'content_keys=sealed');
    const route = `POST ${MANAGE}/history/import`;
    await new ExampleRecorder(copy.url, {}).call(route, { key: OPERATOR_KEY, body: keys });
    const importing = new ExampleRecorder(copy.url, {});
    await importing.call(route, { key: OPERATOR_KEY, body: lines });
    this.recorder.examples.set(route, importing.examples.get(route)!);
  }

  /** Returns a time for which a post can be planned; examples show the same time in each run. */
  private inDays(days: number): string {
    return new Date(this.startedAt + days * 86_400_000).toISOString();
  }

  /** Sends a post to a new endpoint, so that no rate limit stops it. */
  private async sendPost(post: object): Promise<string> {
    const { id } = await this.manage('POST', '/endpoints', [], { project_ids: [this.project], mode: 'live' });
    return (await this.manage('POST', '/endpoints/:id/posts', [id], post)).id;
  }

  private async cancelPublication(post: string): Promise<void> {
    const { id } = await this.waitFor(post, 'queued');
    await this.manage('POST', '/publications/:id/cancel', [id]);
  }

  /** Waits until a job has ended well. */
  private async finish({ id }: { id: string }): Promise<void> {
    await until(`the job ${id} is done`, async () => {
      const { body } = await operatorCaller(this.harness).get(`/jobs/${id}`).expect(200);
      return body.state === 'done';
    });
    await this.operator('GET', '/jobs/:id', [id]);
  }

  /** Waits until the only publication of a post reaches a state, and returns it. */
  private waitFor(post: string, state: string): Promise<{ id: string }> {
    return until(`${post} is ${state}`, async () => {
      const { body } = await new Caller(this.harness, this.key).get(`/posts/${post}`).expect(200);
      return body.publications[0]?.state === state ? body.publications[0] : null;
    });
  }

  private operator(method: string, path: string, ids: string[] = [], body?: object, query = '') {
    return this.recorder.call(`${method} ${MANAGE}${path}`, { ids, key: OPERATOR_KEY, body, query });
  }

  private manage(method: string, path: string, ids: string[] = [], body?: object, query = '') {
    return this.recorder.call(`${method} ${MANAGE}${path}`, { ids, key: this.key, body, query });
  }

  private client(method: string, path: string, ids: string[], body?: object) {
    return this.recorder.call(`${method} ${path}`, { ids, key: this.endpoint.token, body });
  }
}
