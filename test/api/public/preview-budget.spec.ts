import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type TestEndpoint, TestGateway } from './gateway.js';

/** Allowed patterns that are as slow as any on a text of a's and b's. */
const SLOW_PATTERNS = ['(?:[ab]{0,30}){16}[cd]', '(?:[ab]{0,30}){15}[ce]'];
const LONG_TEXT = Array.from({ length: 4_000 }, (_, n) => ((n * n) % 7 < 3 ? 'a' : 'b')).join('');
const PROJECTS = 12;
/** More calls than the budget covers. */
const CALLS = 10;

let folder: string;
let gateway: TestGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'preview-budget-'));
  const { A } = JSON.parse(await readFile('src/config/limits-profiles.json', 'utf8'));
  const LIMITS_PROFILE = join(folder, 'limits.json');
  await writeFile(LIMITS_PROFILE, JSON.stringify({ ...A, preview_ms_per_minute: 2_000 }));
  gateway = await TestGateway.start({ LIMITS_PROFILE });
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

const createEndpoint = async (
  processing: object,
  projects: number,
): Promise<{ endpoint: TestEndpoint; project: string }> => {
  const owner_id = await gateway.createOwner();
  const ids: string[] = [];
  for (let n = 0; n < projects; n++) {
    const { id } = await gateway.createChannel(owner_id);
    const body = { owner_id, name: `Project ${n}`, channel_ids: [id], processing };
    ids.push((await gateway.manage('POST', '/projects', body)).id);
  }
  return { endpoint: await gateway.createEndpoint(owner_id, ids, { min_interval: 1 }), project: ids[0]! };
};

const callUntilRefused = async (call: () => Promise<Answer>): Promise<Answer> => {
  for (let n = 0; n < CALLS; n++) {
    const answer = await call();
    if (answer.status !== 200) return answer;
  }
  throw new Error(`all of ${CALLS} calls were answered 200`);
};

const expectRefusal = ({ status, headers, body }: Answer): void => {
  expect({ status, body }).toMatchObject({ status: 429, body: { ok: false, code: 'preview_budget' } });
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(body.errors).toEqual([
    `Too many requests: the previews of this owner took too much computing time. Retry in ${seconds} s, and preview fewer ` +
      'projects and channels at a time, or with simpler patterns.',
  ]);
};

it("an owner's previews have a budget of computing time, which others do not share (ADR-209)", async () => {
  const filters = SLOW_PATTERNS.map((pattern) => ({ mode: 'exclude', pattern }));
  const slow = await createEndpoint({ filters }, PROJECTS);
  const other = await createEndpoint({}, 1);

  // The budget refills with time, which passes slowly here: a busy machine may need seconds between two calls.
  const realNow = performance.now.bind(performance);
  const startedAt = performance.now();
  performance.now = () => startedAt + (realNow() - startedAt) / 100;
  try {
    expectRefusal(await callUntilRefused(() => slow.endpoint.sandbox({ text: LONG_TEXT })));
    expectRefusal(await gateway.callManagement('POST', `/endpoints/${slow.endpoint.id}/sandbox`, { text: LONG_TEXT }));
    expectRefusal(
      await callUntilRefused(() =>
        gateway.callManagement('POST', `/projects/${slow.project}/preview`, { text: LONG_TEXT }),
      ),
    );
    expect((await other.endpoint.sandbox({ text: 'Ahoy' })).status).toBe(200);
    // Publishing needs no preview.
    expect((await slow.endpoint.post('', { text: 'Ahoy' })).status).toBe(200);
  } finally {
    performance.now = realNow;
  }
});
