import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gif, jpeg, png } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import { startTranslator, type TestTranslator } from '../../stand-ins/libretranslate/stand-in.js';
import { findLogEntry, stopLimitClock } from './gate/calls.js';
import { type Answer, type TestEndpoint, TestGateway } from './gateway.js';

const { A } = JSON.parse(readFileSync(new URL('../../../src/config/limits-profiles.json', import.meta.url), 'utf8'));
const MB = 1_048_576;
const PROBES = 8;

let folder: string;
let gateway: TestGateway;
let host: TestHost;
let translator: TestTranslator;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-budget-'));
  const LIMITS_PROFILE = join(folder, 'limits.json');
  const figures = { probes_per_minute: PROBES, probe_bytes_per_minute: 4 * MB + 600_000 };
  await writeFile(LIMITS_PROFILE, JSON.stringify({ ...A, min_interval: { min: 0, max: 60, default: 0 }, ...figures }));
  gateway = await TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', LIMITS_PROFILE });
  await stopLimitClock(gateway.pool);
  host = await TestHost.start();
  translator = await startTranslator();
});
afterAll(async () => {
  await translator.stop();
  await host.stop();
  await gateway.stop();
  await rm(folder, { recursive: true });
});

/** An endpoint of a new owner, with one paused channel: no publication fetches media. */
const createEndpoint = async (processing: object = {}): Promise<TestEndpoint> => {
  const owner_id = await gateway.createOwner();
  const { id } = await gateway.createChannel(owner_id);
  const project = { owner_id, name: 'Project', channel_ids: [id], processing };
  const endpoint = await gateway.createEndpoint(owner_id, [(await gateway.manage('POST', '/projects', project)).id]);
  await endpoint.post('temp-pause', { target_minutes: 1440 });
  return endpoint;
};
const photos = (...urls: string[]): object => ({ text: 'Ahoy', media: urls.map((url) => ({ type: 'photo', url })) });
const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

const expectOverBudget = (answer: Answer): void => {
  expect(answer).toMatchObject({ status: 429, body: { ok: false, code: 'probe_budget' } });
  const wait = Number(answer.headers.get('retry-after'));
  expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true);
};

describe('the probe budget (D-51)', () => {
  const routes = [
    ['publishing', (endpoint: TestEndpoint, body: object) => endpoint.post('', body)],
    ['the sandbox', (endpoint: TestEndpoint, body: object) => endpoint.sandbox(body)],
  ] as const;

  it.each(routes)('is spent by posts that are refused: %s', async (name, send) => {
    const endpoint = await createEndpoint();
    const wrong = host.serve(`/${name}.gif`, gif());
    const before = host.requests.length;
    const answers: Answer[] = [];
    for (let i = 0; i < 6; i++) answers.push(await send(endpoint, photos(...times(4, wrong))));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 429, 429, 429, 429]);
    answers.slice(2).forEach(expectOverBudget);
    expect(host.requests.length - before).toBe(PROBES);
  });

  it('is shared by publishing and the sandbox, and exact for parallel requests', async () => {
    const endpoint = await createEndpoint();
    const wrong = host.serve('/parallel.gif', gif());
    const before = host.requests.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => routes[i % 2]![1](endpoint, photos(wrong, wrong))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...times(4, 400), ...times(16, 429)]);
    expect(host.requests.length - before).toBe(PROBES);
  });

  it('is no violation when it is exceeded, and posts without media are accepted meanwhile', async () => {
    const endpoint = await createEndpoint();
    const right = host.serve('/right.png', png(10, 10));
    expect((await endpoint.post('', photos(...times(8, right)))).status).toBe(200);
    const refusals: Answer[] = [];
    for (let i = 0; i < 7; i++) refusals.push(await endpoint.post('', { ...photos(right), trace_id: 'over' }));
    refusals.forEach(expectOverBudget);
    expect((await endpoint.post('', { text: 'no media' })).status).toBe(200);
    expect(await gateway.manage('GET', `/endpoints/${endpoint.id}`)).toMatchObject({ is_active: true });
    const wait = Number(refusals[0]!.headers.get('retry-after'));
    const answer = { ...refusals[0]!, text: JSON.stringify(refusals[0]!.body) };
    expect(await findLogEntry(gateway, endpoint, answer as never)).toMatchObject({
      decision: 'rejected_rate_limit',
      reason: 'probe_budget',
      http_status: 429,
      trace_id: 'over',
      why: {
        rule: 'probe_budget',
        figures: {
          scope: 'endpoint',
          probes_per_minute: PROBES,
          probe_bytes_per_minute: 4 * MB + 600_000,
          retry_after_seconds: wait,
        },
      },
    });
  });

  it('costs a post without media no call', async () => {
    const endpoint = await createEndpoint();
    await endpoint.post('', { text: 'no media' });
    await endpoint.sandbox({ text: 'no media' });
    const { rows } = await gateway.pool.query('select 1 from ops_probe_payment where endpoint_id = $1', [endpoint.id]);
    expect(rows).toEqual([]);
  });

  it('counts further reads of a file: none is made that it does not cover', async () => {
    const endpoint = await createEndpoint();
    // Its size in pixels comes after 300 KB of metadata, so it takes a second read.
    const deep = host.serve('/deep.jpg', jpeg(64, 48, 300_000));
    const before = host.requests.length;
    expect((await endpoint.sandbox(photos(deep))).status).toBe(200);
    expect(host.requests.length - before).toBe(2);
    const text =
      'select sum(probes)::int as probes, sum(bytes)::int as bytes from ops_probe_payment where endpoint_id = $1';
    const { rows } = await gateway.pool.query(text, [endpoint.id]);
    expect(rows).toEqual([{ probes: 2, bytes: expect.any(Number) }]);
    expect(rows[0].bytes).toBeGreaterThan(300_000);
    // Six probes are left: the first reads of five media, and one of five further reads.
    expectOverBudget(await endpoint.post('', photos(...times(5, deep))));
    expect(host.requests.length - before).toBeLessThanOrEqual(PROBES);
  });

  it('is counted in bytes too', async () => {
    const endpoint = await createEndpoint();
    const large = host.serve('/large.gif', Buffer.concat([gif(), Buffer.alloc(100_000)]));
    expect((await endpoint.post('', photos(...times(8, large)))).status).toBe(400);
    const text = 'select probes, bytes::int from ops_probe_payment where endpoint_id = $1';
    expect((await gateway.pool.query(text, [endpoint.id])).rows).toEqual([{ probes: 8, bytes: 8 * 65_536 }]);
  });

  it('does not hide the problems of a body that is refused anyway: its media are not fetched', async () => {
    const endpoint = await createEndpoint();
    const wrong = host.serve('/wrong.gif', gif());
    await endpoint.post('', photos(...times(8, wrong)));
    const before = host.requests.length;
    const body = { ...photos(wrong), entities: [{ type: 'bold', offset: 3, length: 9 }] };
    for (const [, send] of routes) {
      const answer = await send(endpoint, body);
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: expect.stringMatching(/^entities/) }] } });
    }
    expect(host.requests.length).toBe(before);
  });

  it('pays for translations in the sandbox', async () => {
    const endpoint = await createEndpoint({
      translation: { provider: 'libretranslate', url: translator.url, source: 'ru', target: 'en', on_failure: 'retry' },
    });
    const answers: Answer[] = [];
    for (let i = 0; i < PROBES + 2; i++) answers.push(await endpoint.sandbox({ text: `мир ${i}` }));
    // The last probe is not enough: a broken connection would need a second one.
    expect(answers.map(({ status }) => status)).toEqual([...times(PROBES - 1, 200), ...times(3, 429)]);
    expectOverBudget(answers.at(-1)!);
    expect((await translator.asked()).filter((text) => String(text).startsWith('мир'))).toHaveLength(PROBES - 1);
  });
});
