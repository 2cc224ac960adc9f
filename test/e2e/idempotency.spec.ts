import { postIdOf, publish } from './client.js';
import { createManagementClient, type Network, shareHarness } from './e2e-harness.js';
import type { ManagementClient, Post } from './management-client.js';
import { until } from './until.js';

const FIFTY = Array.from({ length: 50 }, (_, i) => i);
const header = (key: string) => ({ 'idempotency-key': key });

/** Waits until a post is published on all its channels. */
const published = (manage: ManagementClient, id: string): Promise<Post> =>
  until(`${id} is published`, async () => {
    const post = await manage.findPost(id);
    return post.publications.every(({ state }) => state === 'published') ? post : null;
  });

const textsOn = async ({ control }: Network, channel: string): Promise<string[]> =>
  (await control.readLedger({ channel })).map(({ text }) => text);

describe('one key, one post (D-19)', () => {
  const test = shareHarness(async (harness) => {
    const telegram = await harness.startTelegram();
    const shared = { ...(await harness.createDatabase()), TELEGRAM_API_URL: telegram.url };
    const [one, two] = await Promise.all([
      harness.startGateway({ ...shared, DATA_DIR: await harness.createFolder() }),
      harness.startGateway({ ...shared, DATA_DIR: await harness.createFolder(), ROLES: 'api' }),
    ]);
    const manage = createManagementClient(one);
    const { endpoints } = await manage.seed(6, [[0], [1], [2], [3], [4], [5]]);
    return { urls: [one.url, two.url] as const, manage, telegram, endpoints };
  });

  test('fifty parallel posts: one 200, forty-nine 202, all with the same bytes', async ({ urls, endpoints }) => {
    const endpoint = endpoints[0]!;
    const answers = await Promise.all(
      FIFTY.map(() => publish(urls[0], endpoint, { text: 'fifty', trace_id: 't' }, header('fifty'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(49).fill(202)]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  test('fifty parallel posts to two processes publish one post', async ({ urls, endpoints, manage, telegram }) => {
    const endpoint = endpoints[1]!;
    const answers = await Promise.all(
      FIFTY.map((i) => publish(urls[i % 2]!, endpoint, { text: 'over two' }, header('over two'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(49).fill(202)]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    await published(manage, postIdOf(answers[0]!));
    expect(await textsOn(telegram, endpoint.channels[0]!.chatId)).toEqual(['over two']);
  });

  test('a key of 128 characters of any script, in the header or as external_id, is one key', async (context) => {
    const { urls, endpoints } = context;
    const external_id = 'ключ'.repeat(32);
    const sent = header(Buffer.from(external_id).toString('latin1')); // HTTP sends bytes
    const first = await publish(urls[0], endpoints[4]!, { text: 'by a word' }, sent);
    const second = await publish(urls[1], endpoints[4]!, { text: 'by a word', external_id });
    expect([first.status, second.status]).toEqual([200, 202]);
    expect(second.body).toBe(first.body);
  });

  test('external_id is the key if no header is sent', async ({ urls, endpoints, manage, telegram }) => {
    const endpoint = endpoints[2]!;
    const payload = { text: 'by external id', external_id: 'order-1' };
    const first = await publish(urls[0], endpoint, payload);
    const second = await publish(urls[1], endpoint, payload);
    expect([first.status, second.status]).toEqual([200, 202]);
    expect(second.body).toBe(first.body);
    await published(manage, postIdOf(first));
    expect(await textsOn(telegram, endpoint.channels[0]!.chatId)).toEqual(['by external id']);
  });

  test('with both, either makes a later request a replay', async ({ urls, endpoints }) => {
    const endpoint = endpoints[2]!;
    const first = await publish(urls[0], endpoint, { text: 'both', external_id: 'order-2' }, header('both'));
    const byHeader = await publish(urls[1], endpoint, { text: 'both', external_id: 'order-3' }, header('both'));
    const byId = await publish(urls[0], endpoint, { text: 'both', external_id: 'order-2' });
    expect([first.status, byHeader.status, byId.status]).toEqual([200, 202, 202]);
    expect([byHeader.body, byId.body]).toEqual([first.body, first.body]);
  });

  test('a different payload with a known key is a replay that reports the difference', async ({
    urls,
    endpoints,
    manage,
    telegram,
  }) => {
    const endpoint = endpoints[3]!;
    const first = await publish(urls[0], endpoint, { text: 'first' }, header('reused'));
    const same = await publish(urls[0], endpoint, { text: 'first' }, header('reused'));
    const other = await publish(urls[0], endpoint, { text: 'other' }, header('reused'));
    expect([first.status, same.status, other.status]).toEqual([200, 202, 202]);
    expect(other.body).toBe(first.body);
    const mismatch = [first, same, other].map(({ headers }) => headers.get('idempotency-payload-mismatch'));
    expect(mismatch).toEqual([null, null, 'true']);
    await published(manage, postIdOf(first));
    expect(await textsOn(telegram, endpoint.channels[0]!.chatId)).toEqual(['first']);
  });

  test('the same key on another endpoint is another key', async ({ urls, endpoints }) => {
    const first = await publish(urls[0], endpoints[3]!, { text: 'mine' }, header('common'));
    const second = await publish(urls[0], endpoints[4]!, { text: 'mine' }, header('common'));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(postIdOf(second)).not.toBe(postIdOf(first));
  });

  test('a rejected post may be corrected and sent with the same key', async ({ urls, endpoints }) => {
    const endpoint = endpoints[4]!;
    const refused = await publish(urls[0], endpoint, { text: 7 }, header('corrected'));
    const accepted = await publish(urls[0], endpoint, { text: 'seven' }, header('corrected'));
    expect([refused.status, accepted.status]).toEqual([422, 200]);
  });

  test('a post of 4.9 MB is published, can be read back whole, and replayed (D-42)', async (context) => {
    const { urls, endpoints, manage, telegram } = context;
    const endpoint = endpoints[5]!;
    const metadata = { attachment: 'ж'.repeat(2_568_000), note: 'end' };
    const payload = { text: 'large', metadata };
    const body = JSON.stringify(payload);
    expect(Buffer.byteLength(body)).toBeGreaterThan(4.89 * 1_048_576);
    const first = await publish(urls[0], endpoint, body, header('large'));
    expect(first.status).toBe(200);
    const post = await published(manage, postIdOf(first));
    expect(post.payload).toEqual(payload);
    expect(await textsOn(telegram, endpoint.channels[0]!.chatId)).toEqual(['large']);
    const again = await publish(urls[1], endpoint, body, header('large'));
    expect([again.status, again.body]).toEqual([202, first.body]);
  });
});
