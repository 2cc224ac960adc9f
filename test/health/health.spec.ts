// More than 20 s: a metric of releases needs a post that is planned for 15 s ahead.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { catalogue } from '../../src/domain/catalogue.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { PostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { DeploymentMetrics } from '../../src/health/deployment-metrics.js';
import { Metrics, METRICS_KEPT_MS, MetricsPage } from '../../src/health/metrics.js';
import { ClockDifference, EventTimes } from '../../src/health/times.js';
import { systemClock } from '../../src/kernel/clock.js';
import { SharedResult } from '../../src/runtime/shared-result.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';

let gateway: TestGateway;
let channel: TestChannel;
let endpoint: TestEndpoint;
beforeAll(async () => {
  gateway = await TestGateway.start({ MINUTE_MS: '5000' });
  const owner = await gateway.createOwner();
  channel = await gateway.createChannel(owner);
  endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
});
afterAll(() => gateway.stop());

/** Reads the values of a metric, by its labels as text. */
const figures = async (name: string): Promise<ReadonlyMap<string, number>> => {
  const answer = await fetch(`${gateway.url}/metrics`);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await answer.text()).matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'));
  return new Map([...lines].map(([, labels = '', value]) => [labels, Number(value)]));
};

const names = [
  ...['activity', 'audit', 'discovery', 'media', 'planned-posts', 'posts', 'publish-schedule'],
  ...['request-log', 'webhook-deliveries'],
].map((name) => `projection="${name}"`);

describe('/readyz (D-31)', () => {
  it('names each part that it checks', async () => {
    // A busy machine may take longer than the three seconds after which a check counts as failed.
    const report: unknown = await until('it is ready', async () => {
      const answer = await fetch(`${gateway.url}/readyz`);
      return answer.status === 200 && answer.json();
    });
    expect(report).toEqual({
      ok: true,
      checks: { database: 'ok', event_store: 'ok', discovery: 'ok' },
      degraded: [],
      event_store: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        position: expect.stringMatching(/^-?\d+$/),
        lag: expect.objectContaining({ discovery: expect.any(Number) }),
        dropped_subscriptions: 0,
        lost_connections: 0,
      },
      helpers: null, // no process has started one
      history: { origin: expect.stringMatching(/\/history$/), size: expect.any(Number), ended: [] },
    });
  });
});

describe('/metrics (D-31)', () => {
  it('count requests by route, status and decision, and time them', async () => {
    const post = 'route="/v1/webhooks/:slug"';
    expect((await endpoint.post('', { text: 'counted' })).status).toBe(200);
    expect((await endpoint.post('', '{')).status).toBe(400);
    const [accepted, refused] = [
      `${post},status="200",decision="accepted"`,
      `${post},status="400",decision="rejected_validation"`,
    ];
    await until('both are counted', async () => (await figures('crosspost_request_seconds_count')).get(post) === 2);
    const requests = await figures('crosspost_requests_total');
    expect([requests.get(accepted), requests.get(refused)]).toEqual([1, 1]);
  });

  it('show the queue of each network and its age', async () => {
    await gateway.waitForText(channel.chatId, 'counted');
    await until('nothing waits', async () => (await figures('crosspost_queue_depth')).size === 0);
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 60 }); // five minutes of the clock
    expect((await endpoint.post('', { text: 'waits' })).status).toBe(200);
    const queued = 'platform="telegram",state="queued"';
    await until('it waits', async () => (await figures('crosspost_queue_depth')).get(queued) === 1);
    // A page lacks figures that are still being read.
    const age = async () => (await figures('crosspost_queue_age_seconds')).get('platform="telegram"') ?? 0;
    await until('its age is shown', async () => (await age()) > 0);
    await gateway.manage('POST', `/channels/${channel.id}/resume`);
    await until('nothing waits', async () => (await figures('crosspost_queue_depth')).size === 0);
  });

  it('count the posts that are planned, and time how late they are released', async () => {
    const owner = await gateway.createOwner();
    const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
    const asking = await gateway.createEndpoint(owner, [project], { requires_approval: true });
    const planned = async () => (await figures('crosspost_planned_posts')).get('');
    const released = async () => (await figures('crosspost_release_delay_seconds_count')).get('');
    await until('none is counted', async () => (await planned()) === 0);
    expect(await released()).toBe(0);
    const { id } = (await asking.post('', { text: 'a' })).body;
    await asking.post('', { text: 'b' });
    await until('both are counted', async () => (await planned()) === 2);
    await gateway.manage('POST', `/posts/${id}/approve`, { revision: 1 });
    await until('one is left', async () => (await planned()) === 1);
    const timed = await gateway.createEndpoint(owner, [project]);
    const publish_at = new Date(Date.now() + 15_000).toISOString();
    expect((await timed.post('', { text: 'c', publish_at })).body).toMatchObject({ state: 'planned' });
    await until('its release is timed', async () => (await released()) === 1);
  });

  it('show how far each projection is behind the log', async () => {
    await until('all are up to date', async () => {
      const lag = await figures('crosspost_projection_lag');
      expect([...lag.keys()].sort()).toEqual(names);
      return [...lag.values()].every((positions) => positions === 0);
    });
    // The posts of the test before may still be published meanwhile.
    await until('all are at the head', async () => {
      const head = (await figures('crosspost_event_store_position')).get('');
      expect(head).toBeGreaterThan(0);
      expect([...(await figures('crosspost_projection_position')).values()]).toEqual(names.map(() => head));
      return true;
    });
  });

  it('show how far the transparency log is, erasures that are overdue, and deliveries that wait', async () => {
    // Repeated until it is counted, because the gateway erases overdue data every five seconds.
    const addOverdue = () =>
      gateway.pool.query(
        `insert into ops_erasure (kind, subject, due_at) values ('payload', 'elsewhere', now() - interval '1 hour')
         on conflict (kind, subject) do update set due_at = excluded.due_at`,
      );
    await gateway.pool.query(
      `insert into webhook_deliveries_v1.delivery (delivery_id, output_id, owner_id, kind, state, position, created_at,
         attempt, failed, was_server_down, attempts, content_erased, revision, hash, event_id, request_id, correlation_id)
       values ('dlv_1', 'whk_1', 'own_1', 'test.ping', 'pending', 1, 0, 0, 0, false, '[]', false, '0', '', '', '', '')`,
    );
    const counted = await until('all are counted', async () => {
      await addOverdue();
      const overdue = await figures('crosspost_overdue_erasures');
      const waiting = (await figures('crosspost_waiting_deliveries')).get('');
      return overdue.get('kind="payload"') === 1 && waiting === 1 && overdue;
    });
    expect([...counted]).toEqual(expect.arrayContaining([['kind="secret"', 0]]));
    await until('the log is level', async () => (await figures('crosspost_history_log_lag')).get('') === 0);
    await gateway.pool.query(`delete from ops_erasure where subject = 'elsewhere'`);
    await gateway.pool.query(`delete from webhook_deliveries_v1.delivery where delivery_id = 'dlv_1'`);
  });

  it('time the event store and the event loop', async () => {
    expect((await figures('crosspost_append_seconds_count')).get('outcome="appended"')).toBeGreaterThan(0);
    expect((await figures('nodejs_eventloop_lag_p99_seconds')).get('')).toBeGreaterThan(0);
  });

  it('have no value for the log while it is unavailable: 0 would mean an empty one', async () => {
    const connectionString = 'postgres://unknown@127.0.0.1:1/nothing';
    const [pool, store] = [new Pool({ connectionString }), new PostgresEventStore({ connectionString })];
    const metrics = new Metrics();
    const head = new SharedResult(() => store.readHead(), 0);
    const clock = new ClockDifference(pool, systemClock);
    const eventTimes = new EventTimes(store, new EventCodec(catalogue));
    const deployment = new DeploymentMetrics(metrics.registry, { pool, storeHead: head, eventTimes, clock });
    const page = await new MetricsPage(metrics, deployment).read();
    expect(page).toMatch(/^# TYPE crosspost_event_store_position gauge$/m);
    expect(page).not.toMatch(/^crosspost_\w+position/m);
    await Promise.all([pool.end(), store.close()]);
  });
});

describe('a crowd', () => {
  const CROWD = 30;
  const askAll = (path: string) => Promise.all(Array.from({ length: CROWD }, () => fetch(`${gateway.url}${path}`)));

  it('gets /readyz and /metrics while every connection for queries is busy', async () => {
    const busy = await Promise.all(Array.from({ length: gateway.pool.options.max }, () => gateway.pool.connect()));
    try {
      // A check or a figure that takes longer than three seconds is left out, which a busy machine may need.
      for (const path of ['/readyz', '/metrics'])
        await until(`all get ${path}`, async () => (await askAll(path)).every(({ status }) => status === 200));
      await until('the figures are shown', async () => {
        expect([...(await figures('crosspost_projection_position')).keys()].sort()).toEqual(names);
        return true;
      });
    } finally {
      for (const client of busy) client.release();
    }
  });

  it('at /metrics waits for one statement, not for one each', async () => {
    const [locking, watching] = [await gateway.pool.connect(), await gateway.pool.connect()];
    await until(
      'what earlier tests have read is read again',
      async () => (await figures('crosspost_queue_depth')) && true,
    );
    await sleep(METRICS_KEPT_MS);
    await locking.query('begin; lock table publish_schedule_v1.channel, publish_schedule_v1.publication');
    try {
      const pages = askAll('/metrics');
      let most = 0;
      await until('statements wait for the lock', async () => {
        const { rows } = await watching.query<{ n: number }>(
          // The worker's own statements wait as well, each once.
          `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
           and query ~ 'publish_schedule' group by query order by n desc limit 1`,
        );
        most = Math.max(most, rows[0]?.n ?? 0);
        return most > 0;
      });
      for (const page of await pages) expect(page.status).toBe(200);
      expect(most).toBe(1);
    } finally {
      await locking.query('rollback');
      for (const client of [locking, watching]) client.release();
    }
  });
});
