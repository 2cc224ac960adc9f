import { manageOf, sharing } from '../e2e/stage.js';
import { memoryOf, observed } from './observed.js';

const LIMIT = 5_242_880;
const AT_ONCE = 2;
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

/** Bodies within the size limit, each made to be dear for somebody. */
const bodies: readonly (readonly [what: string, body: () => string, status: number])[] = [
  ['metadata of 400,000 keys', () => `{"text":"a","metadata":{${keys(400_000)}}}`, 400],
  ['metadata of as many keys as are allowed', () => `{"text":"a","metadata":{${keys(49_990)}}}`, 200],
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
    const settings = { DATA_DIR: await stage.folder(), TELEGRAM_API_URL: telegram.url, MEDIA_PROBE: 'off' };
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
    return { gateway, send };
  });

  for (const [what, body, status] of bodies)
    test(`${what}, ${AT_ONCE} at once: ${status}`, async ({ gateway, send }) => {
      const bytes = body();
      expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(LIMIT);
      await observed(what, gateway, async () => {
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(bytes)));
        expect(answers).toEqual(answers.map(() => ({ status, ok: status === 200 })));
      });
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
