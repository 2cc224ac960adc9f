import { manageOf, sharing } from '../../e2e/e2e-harness.js';
import { until } from '../../e2e/until.js';
import { memoryOf, observed } from './observed.js';
import { processorMs, ThreadWatch } from './thread-watch.js';

const LONG = Boolean(process.env.TEST_LONG);
const LIMIT = 5_242_880;
const AT_ONCE = 4;
/** No process is kept for longer by one body (TEST_LONG; the machine is to be quiet). */
const AT_MOST_MS = 100;
/** How often the yardstick a body may keep the thread: what takes the body in one go takes five to twenty. */
const YARDSTICKS = 3;
const TRIES = 3;
/** Far above what a few bodies of 5 MB and what is made of them take for a moment, far below what a leak would. */
const GENEROUS_MIB = 500;

/** As many members as asked for, each with a key of its own. */
const keys = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":1`).join();

/** Fills a body up to the limit with a piece that is repeated. */
const filled = (before: string, piece: string, after: string): string => {
  const room = LIMIT - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + piece.repeat(Math.floor(room / Buffer.byteLength(piece))) + after;
};

const button = '{"text":"b","url":"https://example.com/"}';
const entity = '{"type":"bold","offset":0,"length":1}';

/** A body whose JSON.parse is as dear as the limits allow: what nobody can do in smaller pieces. */
const dearest = (): string => {
  const long = 'k'.repeat(95);
  return `{"text":"a","metadata":{${Array.from({ length: 49_990 }, (_, i) => `"${long}${i}":1`).join()}}}`;
};
const dearestBody = dearest();
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

/** Bodies within the size limit, each made to be dear for somebody. */
const bodies: readonly (readonly [what: string, body: () => string, status: number])[] = [
  ['metadata of 400,000 keys', () => `{"text":"a","metadata":{${keys(400_000)}}}`, 400],
  ['metadata of as many keys as are allowed', () => `{"text":"a","metadata":{${keys(49_990)}}}`, 200],
  ['metadata of as many keys, 5 MB long', () => dearestBody, 200],
  ['500,000 array items', () => `{"text":"a","metadata":{"a":[${'1,'.repeat(499_999)}1]}}`, 400],
  ['64 objects inside one another', () => `{"text":"a","metadata":${nested(64)}}`, 400],
  ['one key, 500,000 times', () => `{"text":"a","metadata":{${'"k":1,'.repeat(500_000)}"k":1}}`, 400],
  ['2,500,000 array items', () => `{"text":"a","metadata":{"a":[${'1,'.repeat(2_500_000)}1]}}`, 400],
  ['5,000,000 open brackets', () => '['.repeat(5_000_000), 400],
  ['5 MB of escapes', () => filled('{"text":"a","metadata":{"a":"', '\\u0041', '"}}'), 200],
  ['a text of 5 MB', () => filled('{"text":"', 'x', '"}'), 422],
  ['a text of 5 MB in emoji families', () => filled('{"text":"', '👩‍👩‍👧‍👦', '"}'), 422],
  ['a key of 5 MB', () => filled('{"text":"a","metadata":{"', 'k', '":1}}'), 200],
  ['5 MB of spaces', () => filled('{"text":"a"', ' ', '}'), 200],
  ['a number of 5 MB', () => filled('{"text":"a","metadata":{"a":', '9', '}}'), 400],
  ['10,000 entities', () => `{"text":"ab","entities":[${`${entity},`.repeat(9_999)}${entity}]}`, 200], // no figure limits them
  ['15,000 buttons in a row', () => `{"text":"a","buttons":[[${`${button},`.repeat(14_999)}${button}]]}`, 422],
  ['a trace_id of 5 MB', () => filled('{"text":"a","trace_id":"', 't', '"}'), 422],
  ['a URL of 5 MB', () => filled('{"media":[{"type":"photo","url":"https://example.com/', 'a', '"}]}'), 400],
];

describe('bodies of 5 MB that are made to be dear', () => {
  const test = sharing(async (stage) => {
    const telegram = await stage.telegram();
    const folder = await stage.folder();
    const thread = new ThreadWatch(folder);
    const settings = { DATA_DIR: folder, TELEGRAM_API_URL: telegram.url, MEDIA_PROBE: 'off', ...thread.settings };
    const gateway = await stage.gateway({ ...(await stage.database()), ...settings });
    const { endpoints } = await manageOf(gateway).seed(1, [[0]]);
    const endpoint = endpoints[0]!;
    const send = async (body: string) => {
      const answer = await fetch(gateway.url + endpoint.path, {
        method: 'POST',
        headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
        body,
      });
      const said = (await answer.json()) as { ok: boolean; errors?: string[] };
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      expect(said.errors?.length ?? 0).toBeLessThanOrEqual(50);
      // What was wrong is told in a few words, however much of it was sent.
      expect(JSON.stringify(said).length).toBeLessThan(50_000);
      return { status: answer.status, ok: said.ok };
    };
    let count = 0;
    /** Waits until readers see as many posts more. */
    const published = async (more: number): Promise<void> => {
      count += more;
      const { chatId } = endpoint.channels[0]!;
      await until('all is published', async () => (await telegram.control.ledger({ channel: chatId })).length >= count);
    };
    return { gateway, thread, send, published };
  });

  for (const [what, body, status] of bodies)
    test(`${what}, ${AT_ONCE} at once: ${status}, and nobody is kept waiting`, async (cast) => {
      const { gateway, thread, send, published } = cast;
      const bytes = body();
      expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(LIMIT);
      // Other programs take caches and cores away for a moment: what is in one piece is so every time.
      const stretches: string[] = [];
      for (let n = 0; n < TRIES; n++) {
        await thread.beginAnew(gateway.program.pid);
        await observed(what, gateway, async () => {
          const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(bytes)));
          expect(answers).toEqual(answers.map(() => ({ status, ok: status === 200 })));
          if (status === 200) await published(AT_ONCE);
        });
        const longest = thread.longestMs();
        const yardstick = processorMs(() => void JSON.parse(dearestBody));
        stretches.push(`one stretch at most ${longest.toFixed(0)} ms; yardstick ${yardstick.toFixed(0)} ms`);
        process.stderr.write(`    ${stretches.at(-1)}\n`);
        if (longest < (LONG ? AT_MOST_MS : YARDSTICKS * yardstick)) return;
      }
      throw new Error(`too long, each time: ${stretches.join(', ')}`);
    });

  test('leave the gateway’s memory where it was', async ({ gateway, send }) => {
    const refused = `{"text":"a","metadata":{${keys(400_000)}}}`;
    const rounds = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await Promise.all([send(refused), send(refused)]);
    };
    await rounds(3);
    const before = memoryOf(gateway.program.pid);
    const { memoryMiB } = await observed('40 times 400,000 keys', gateway, () => rounds(20));
    expect(memoryMiB - before).toBeLessThan(GENEROUS_MIB);
  });
});
