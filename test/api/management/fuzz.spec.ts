import fc from 'fast-check';
import { until } from '../../e2e/until.js';
import {
  createChannel,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  startHarness,
  type TestOwner,
} from './management-harness.js';

const RUNS = process.env.TEST_LONG ? 5_000 : 60;

/** Values that often break servers: wrong types, extreme numbers, broken text, empty and nested values. */
const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    null,
    true,
    -1,
    0,
    1.5,
    1e308,
    '',
    ' ',
    '\u200b',
    '\u0000',
    'x'.repeat(5_000),
    [],
    {},
    [[]],
    ['__proto__'],
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
);

describe('any body sent to the management API', () => {
  let harness: ManagementHarness;
  let owner: TestOwner;
  let bodies: { route: string; method: 'post' | 'patch'; valid: Record<string, unknown> }[];
  beforeAll(async () => {
    harness = await startHarness();
    owner = await createOwner(harness);
    const channel = (await createChannel(owner)).id;
    const project = await createProject(owner, [channel]);
    const endpoint = (await createEndpoint(owner, [project])).id;
    const credentials = { bot_token: 'x', chat_id: 1 };
    const processing = {
      filters: [{ mode: 'include', words: ['a'], pattern: 'b', platforms: ['vk'] }],
      footer: { marker: 'x' },
      replacements: [{ from: 'a', to: 'b', whole_word: true, ignore_case: false }],
      translation: {
        provider: 'libretranslate',
        url: 'https://a.example',
        api_key: 'k',
        source: 'auto',
        target: 'en',
        on_failure: 'retry',
      },
      signature: { text: 'abc', entities: [{ type: 'bold', offset: 0, length: 3 }], platforms: ['ok'] },
    };
    const settings = {
      name: 'N',
      project_ids: [project],
      min_interval: 5,
      require_signature: true,
      require_timestamp: true,
      ip_allowlist: ['10.0.0.0/8'],
      verbose_discovery: true,
      requires_approval: true,
    };
    bodies = [
      {
        route: '/channels',
        method: 'post',
        valid: { platform: 'telegram', name: 'N', credentials, settings: { on_doubt: 'hold' } },
      },
      {
        route: `/channels/${channel}`,
        method: 'patch',
        valid: { name: 'N', credentials, settings: { on_doubt: 'hold' }, enabled: true },
      },
      { route: `/channels/${channel}/pause`, method: 'post', valid: { minutes: 1 } },
      { route: '/projects', method: 'post', valid: { name: 'N', channel_ids: [channel], processing } },
      { route: `/projects/${project}`, method: 'patch', valid: { name: 'N', channel_ids: [channel], processing } },
      { route: '/endpoints', method: 'post', valid: { mode: 'live', ...settings } },
      { route: `/endpoints/${endpoint}`, method: 'patch', valid: settings },
      { route: `/endpoints/${endpoint}/rotate-secret`, method: 'post', valid: { overlap_minutes: 1 } },
      { route: `/owners/${owner.id}`, method: 'patch', valid: { name: 'N', notice_chat: credentials } },
    ];
  });
  afterAll(() => harness.stop());

  /** Replaces a value somewhere in a body. @param at selects the position, 0..1 */
  const replaceValue = (whole: unknown, at: number, value: unknown): unknown => {
    const paths = listPaths(whole);
    const [path] = paths.slice(Math.floor(at * paths.length));
    const copy = structuredClone({ whole });
    let holder: Record<string, unknown> = copy;
    const keys = ['whole', ...path!];
    for (const key of keys.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
    holder[keys.at(-1)!] = value;
    return copy.whole;
  };
  const listPaths = (value: unknown): string[][] => [
    [],
    ...(typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => listPaths(inner).map((path) => [key, ...path]))
      : []),
  ];

  it('succeeds or is rejected with reasons, never a 5xx; a created or changed resource can be read', async () => {
    const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.nat(), position, oddValue, async (which, at, value) => {
        const { route, method, valid } = bodies[which % bodies.length]!;
        const text = JSON.stringify(replaceValue(valid, at, value)) ?? '';
        const call = method === 'post' ? owner.caller.post(route) : owner.caller.patch(route);
        const { status, body } = await call.set('content-type', 'application/json').send(text);
        if (status === 200 || status === 201) {
          const list = `/${route.split('/')[1]}`;
          await owner.caller.get(`${list}/${body.id}`).expect(200);
        } else {
          expect([400, 402, 404, 422]).toContain(status);
          expect(body).toMatchObject({ ok: false, code: expect.any(String) });
          expect(body.errors.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: RUNS },
    );
    // The stored values have stopped no read model. On a busy machine, a check may exceed its limit of 3 s at first.
    await until('the process is ready', async () => (await fetch(`${harness.url}/readyz`)).status === 200);
  });
});
