import { join } from 'node:path';
import type { Running } from '../../src/app/start.js';
import { PLANNED_POSTS } from '../../src/projections/planned-posts/planned-posts.tables.js';
import { startTelegramStandIn } from '../../stand-ins/telegram/telegram-stand-in.js';
import { OPERATOR_KEY, TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';
import { TestEnvironment } from '../support/test-environment.js';

const HOUR = 3_600_000;

/** Reads the values of a metric, by its labels as text. */
const readFigures = async (url: string, name: string): Promise<ReadonlyMap<string, number>> => {
  const page = await (await fetch(`${url}/metrics`)).text();
  const lines = page.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'));
  return new Map([...lines].map(([, labels = '', value]) => [labels, Number(value)]));
};

describe('figures of what is overdue', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    // By the worker's clock nothing that is planned is ever due.
    gateway = await TestGateway.start({}, { now: () => Date.now() - HOUR });
  });
  afterAll(() => gateway.stop());

  it('show a planned post that is not released at its time, and none that waits for approval', async () => {
    const owner = await gateway.createOwner();
    const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
    const overdue = async () =>
      (await readFigures(gateway.url, 'crosspost_planned_post_overdue_seconds')).get('') ?? null;
    const planned = async () => (await readFigures(gateway.url, 'crosspost_planned_posts')).get('');
    const asking = await gateway.createEndpoint(owner, [project], { requires_approval: true });
    const past = new Date(Date.now() - 60_000).toISOString();
    expect((await asking.post('', { text: 'asks', publish_at: past })).body).toMatchObject({ state: 'planned' });
    await until('it is counted', async () => (await planned()) === 1);
    expect(await overdue()).toBe(0);

    const endpoint = await gateway.createEndpoint(owner, [project]);
    const publish_at = new Date(Date.now() + 15_000).toISOString();
    expect((await endpoint.post('', { text: 'late', publish_at })).body).toMatchObject({ state: 'planned' });
    const shown = await until('it is overdue', async () => (await overdue()) || null);
    expect(shown).toBeLessThanOrEqual((Date.now() - Date.parse(publish_at)) / 1_000 + 1);
  });

  it('show a publication that is due and not published', async () => {
    const owner = await gateway.createOwner();
    const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
    const endpoint = await gateway.createEndpoint(owner, [project]);
    const age = async () =>
      (await readFigures(gateway.url, 'crosspost_due_publication_age_seconds')).get('platform="telegram"');
    await gateway.telegram.setDelay(10_000);
    await endpoint.post('', { text: 'slow' });
    await until('it is due', async () => ((await age()) ?? 0) > 0);
    await gateway.telegram.setDelay(0);
    await until('nothing is due', async () => (await age()) === undefined);
  });
});

describe('a worker whose clock is an hour ahead (D-85)', () => {
  let environment: TestEnvironment<{ telegram: Awaited<ReturnType<typeof startTelegramStandIn>> }>;
  let worker: Running;
  /** Lead of the worker's clock, in ms. */
  let ahead = HOUR;
  beforeAll(async () => {
    environment = await TestEnvironment.start({
      startNetworks: async (folder) => ({
        telegram: await startTelegramStandIn({ port: 0, ledgerFile: join(folder, 'telegram.jsonl') }),
      }),
      operatorKey: OPERATOR_KEY,
    });
    worker = await environment.startProcess({ roles: 'worker', clock: { now: () => Date.now() + ahead } });
  });
  afterAll(() => environment.stop());

  const readClock = async () => {
    const answer = await fetch(`${worker.address}/readyz`);
    const { degraded } = (await answer.json()) as { degraded: { name: string; reason: string }[] };
    return { status: answer.status, clock: degraded.find(({ name }) => name === 'clock') ?? null };
  };

  it('is ready, names the difference in /readyz and in its metrics, and recovers when the clock is set', async () => {
    const found = await until('it is degraded', async () => {
      const { status, clock } = await readClock();
      return status === 200 && clock;
    });
    expect(found.reason).toMatch(/^3(599|600|601)\.\d s ahead of the database's clock: /);
    const difference = await until('it is measured', async () => {
      const figures = await readFigures(worker.address, 'crosspost_clock_difference_seconds');
      return figures.get('');
    });
    expect(Math.round(difference / 10)).toBe(360);
    ahead = 0;
    await until('it is not degraded', async () => (await readClock()).clock === null);
  });

  it('names work that keeps failing, and recovers by itself', async () => {
    ahead = 0;
    const { pool } = worker.infrastructure;
    const readFailing = async () => {
      const { degraded } = (await (await fetch(`${worker.address}/readyz`)).json()) as {
        degraded: { name: string; reason: string }[];
      };
      return degraded.find(({ name }) => name === 'saga/release-planned-posts') ?? null;
    };
    await until('the view exists', async () => {
      const text = `select to_regclass('${PLANNED_POSTS}.planned_post') is not null as found`;
      return (await pool.query<{ found: boolean }>(text)).rows[0]!.found;
    });
    await pool.query(`alter schema ${PLANNED_POSTS} rename to elsewhere`);
    const failing = await until('it is degraded', readFailing);
    expect(failing.reason).toMatch(/^failed \d+ times in \d+ s, and is retried: relation .* does not exist$/);
    const figures = await readFigures(worker.address, 'crosspost_failing_work');
    expect(figures.get('work="saga/release-planned-posts"')).toBe(1);
    await pool.query(`alter schema elsewhere rename to ${PLANNED_POSTS}`);
    await until('it is not degraded', async () => (await readFailing()) === null);
  });
});

describe('figures of sagas', () => {
  it('show the age of the oldest event that a saga has not handled', async () => {
    const environment = await TestEnvironment.start({
      startNetworks: () => Promise.resolve({}),
      operatorKey: OPERATOR_KEY,
    });
    try {
      const api = await environment.startProcess({ roles: 'api' });
      const worker = await environment.startProcess({ roles: 'worker' });
      const ages = () => readFigures(api.address, 'crosspost_saga_event_age_seconds');
      await until('all are level', async () => {
        const values = [...(await ages()).values()];
        return values.length > 5 && values.every((age) => age === 0);
      });
      await worker.stop();
      // Answered 503, because no worker shows the owner, which exists nevertheless.
      await fetch(`${api.address}/manage/v1/owners`, {
        method: 'POST',
        headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Ada', plan: 'free' }),
      });
      await until('they are late', async () => {
        const values = [...(await ages()).values()];
        return values.length > 5 && values.every((age) => age > 1);
      });
    } finally {
      await environment.stop();
    }
  });
});
