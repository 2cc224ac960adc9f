// More than 20 s: the heaviest bodies that fit in 5 MB are sent one kind after the other, four at a time.
import { createManagementClient, shareHarness } from '../../e2e/e2e-harness.js';
import { until } from '../../e2e/until.js';
import { measureMemoryMiB, observeGateway } from './observe-gateway.js';
import { measureProcessorMs, ThreadWatch } from './thread-watch.js';

const LONG = Boolean(process.env.TEST_LONG);
const LIMIT = 5_242_880;
const AT_ONCE = 4;
/** Longest uninterrupted use of the thread by one body, in ms (TEST_LONG, on an otherwise idle machine). */
const AT_MOST_MS = 100;
/**
 * The same as a multiple of the reference work's processor time. Processing a body in one piece takes five to twenty.
 */
const MAX_REFERENCES = 3;
const ATTEMPTS = 3;
/**
 * Upper bound for memory growth, in MiB: far above the short-lived memory of a few bodies of 5 MB, far below a leak.
 */
const MAX_GROWTH_MIB = 500;

/** Returns JSON members with distinct keys. */
const keys = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":1`).join();

/** Fills a body up to the limit with a repeated piece. */
const fill = (before: string, piece: string, after: string): string => {
  const left = LIMIT - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + piece.repeat(Math.floor(left / Buffer.byteLength(piece))) + after;
};

const button = '{"text":"b","url":"https://example.com/"}';
const entity = '{"type":"bold","offset":0,"length":1}';

/**
 * Builds the body whose JSON.parse is the most expensive that the limits allow; JSON.parse cannot be split into slices.
 */
const createReferenceBody = (): string => {
  const long = 'k'.repeat(95);
  return `{"text":"a","metadata":{${Array.from({ length: 49_990 }, (_, i) => `"${long}${i}":1`).join()}}}`;
};
const referenceBody = createReferenceBody();
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

/** Bodies within the size limit, each expensive for one part of the gateway. */
const bodies: readonly (readonly [what: string, body: () => string, status: number])[] = [
  ['metadata of 400,000 keys', () => `{"text":"a","metadata":{${keys(400_000)}}}`, 400],
  ['metadata of as many keys as are allowed', () => `{"text":"a","metadata":{${keys(49_990)}}}`, 200],
  ['metadata of as many keys, 5 MB long', () => referenceBody, 200],
  ['500,000 array items', () => `{"text":"a","metadata":{"a":[${'1,'.repeat(499_999)}1]}}`, 400],
  ['64 nested objects', () => `{"text":"a","metadata":${nested(64)}}`, 400],
  ['one key, 500,000 times', () => `{"text":"a","metadata":{${'"k":1,'.repeat(500_000)}"k":1}}`, 400],
  ['2,500,000 array items', () => `{"text":"a","metadata":{"a":[${'1,'.repeat(2_500_000)}1]}}`, 400],
  ['5,000,000 open brackets', () => '['.repeat(5_000_000), 400],
  ['5 MB of escapes', () => fill('{"text":"a","metadata":{"a":"', '\\u0041', '"}}'), 200],
  ['a text of 5 MB', () => fill('{"text":"', 'x', '"}'), 422],
  ['a text of 5 MB in emoji families', () => fill('{"text":"', '👩‍👩‍👧‍👦', '"}'), 422],
  ['a key of 5 MB', () => fill('{"text":"a","metadata":{"', 'k', '":1}}'), 200],
  ['5 MB of spaces', () => fill('{"text":"a"', ' ', '}'), 200],
  ['a number of 5 MB', () => fill('{"text":"a","metadata":{"a":', '9', '}}'), 400],
  ['10,000 entities', () => `{"text":"ab","entities":[${`${entity},`.repeat(9_999)}${entity}]}`, 200], // not limited in number
  ['15,000 buttons in a row', () => `{"text":"a","buttons":[[${`${button},`.repeat(14_999)}${button}]]}`, 422],
  ['a trace_id of 5 MB', () => fill('{"text":"a","trace_id":"', 't', '"}'), 422],
  ['a URL of 5 MB', () => fill('{"media":[{"type":"photo","url":"https://example.com/', 'a', '"}]}'), 400],
];

describe('expensive bodies of 5 MB', () => {
  const test = shareHarness(async (stage) => {
    const telegram = await stage.startTelegram();
    const folder = await stage.createFolder();
    const thread = new ThreadWatch(folder);
    const settings = { DATA_DIR: folder, TELEGRAM_API_URL: telegram.url, MEDIA_PROBE: 'off', ...thread.settings };
    const gateway = await stage.startGateway({ ...(await stage.createDatabase()), ...settings });
    const { endpoints } = await createManagementClient(gateway).seed(1, [[0]]);
    const endpoint = endpoints[0]!;
    const send = async (body: string) => {
      const answer = await fetch(gateway.url + endpoint.path, {
        method: 'POST',
        headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
        body,
      });
      const answered = (await answer.json()) as { ok: boolean; errors?: string[] };
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      expect(answered.errors?.length ?? 0).toBeLessThanOrEqual(50);
      // The problems are reported briefly, however long the body is.
      expect(JSON.stringify(answered).length).toBeLessThan(50_000);
      return { status: answer.status, ok: answered.ok };
    };
    let count = 0;
    /** Waits until this many more posts are published. */
    const waitUntilPublished = async (more: number): Promise<void> => {
      count += more;
      const { chatId } = endpoint.channels[0]!;
      await until(
        'all posts are published',
        async () => (await telegram.control.readLedger({ channel: chatId })).length >= count,
      );
    };
    return { gateway, thread, send, waitUntilPublished };
  });

  for (const [what, body, status] of bodies)
    test(`${what}, ${AT_ONCE} at once: ${status}, without blocking the thread`, async (resources) => {
      const { gateway, thread, send, waitUntilPublished } = resources;
      const bytes = body();
      expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(LIMIT);
      // Other programs slow down one attempt at most briefly; work in one piece takes long in every attempt.
      const stretches: string[] = [];
      for (let n = 0; n < ATTEMPTS; n++) {
        await thread.reset(gateway.program.pid);
        await observeGateway(what, gateway, async () => {
          const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(bytes)));
          expect(answers).toEqual(answers.map(() => ({ status, ok: status === 200 })));
          if (status === 200) await waitUntilPublished(AT_ONCE);
        });
        const longest = thread.readLongestMs();
        const reference = measureProcessorMs(() => void JSON.parse(referenceBody));
        stretches.push(`longest stretch ${longest.toFixed(0)} ms; reference ${reference.toFixed(0)} ms`);
        process.stderr.write(`    ${stretches.at(-1)}\n`);
        if (longest < (LONG ? AT_MOST_MS : MAX_REFERENCES * reference)) return;
      }
      throw new Error(`the thread was blocked too long at each attempt: ${stretches.join(', ')}`);
    });

  test('do not increase the gateway’s memory', async ({ gateway, send }) => {
    const rejectedBody = `{"text":"a","metadata":{${keys(400_000)}}}`;
    const sendRounds = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await Promise.all([send(rejectedBody), send(rejectedBody)]);
    };
    await sendRounds(3);
    const before = measureMemoryMiB(gateway.program.pid);
    const { memoryMiB } = await observeGateway('40 times 400,000 keys', gateway, () => sendRounds(20));
    expect(memoryMiB - before).toBeLessThan(MAX_GROWTH_MIB);
  });
});
