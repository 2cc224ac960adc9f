import { RequestMemory } from '../../../../src/api/transport/body-reader.js';
import type { EventStore } from '../../../../src/event-store/port.js';
import { until } from '../../../e2e/until.js';
import { KurrentServer } from '../../../support/kurrent-server/kurrent-server.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';

const KIB = 1_024;
/** Size of a large post. There is memory for three bodies, and for the work on two; each owner may have one in work. */
const LARGE = 200 * KIB;
const WORK = 6 * 201 * KIB;
const createMemory = (waitMs: number) => {
  const waits = { waiting: 100, waitMs };
  return new RequestMemory({
    bodies: { ...waits, bytes: 4 * 201 * KIB, bytesPerHolder: 3 * 201 * KIB },
    work: { ...waits, bytes: 2 * WORK, bytesPerHolder: WORK },
  });
};

/** Holds back the appends of payload parts until it is opened. */
class PartsGate {
  streams = new Set<string>();
  open!: () => void;
  private opened!: Promise<void>;

  constructor() {
    this.close();
  }

  close(): void {
    this.streams.clear();
    this.opened = new Promise((resolve) => (this.open = resolve));
  }

  readonly wrap = (store: EventStore): EventStore => {
    const append = store.append.bind(store);
    store.append = async (stream, ...rest) => {
      if (stream.startsWith('payload-')) {
        this.streams.add(stream);
        await this.opened;
      }
      return append(stream, ...rest);
    };
    return store;
  };
}

const large = (text: string) => ({ text, metadata: { filler: 'x'.repeat(LARGE) } });

describe.each(['PostgreSQL', 'KurrentDB'])('large posts, events in %s (ADR-135)', (kind) => {
  let server: KurrentServer | null = null;
  // One for each test: the keys of a store's content are in the database, and each test has its own.
  beforeEach(async () => {
    if (kind === 'KurrentDB') server = await KurrentServer.start();
  });
  afterEach(() => server?.stop());

  const start = async (memory: RequestMemory, parts: PartsGate) => {
    const env: Record<string, string> = server ? { EVENT_STORE_URL: server.connectionString } : {};
    const gateway = await TestGateway.start(env, undefined, { requestMemory: memory, wrapEventStore: parts.wrap });
    const createEndpoint = async (): Promise<TestEndpoint> => {
      const owner = await gateway.createOwner();
      const channel = await gateway.createChannel(owner);
      return gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
    };
    const [own, other] = [await createEndpoint(), await createEndpoint()];
    // The endpoints are cached from now on, so bodies count as authenticated as soon as their heads arrive.
    for (const endpoint of [own, other]) expect((await endpoint.post('', { text: 'first' })).status).toBe(200);
    return { gateway, own, other };
  };

  it('wait for memory, each owner for its share, and hold back no small post', async () => {
    const memory = createMemory(300_000);
    const parts = new PartsGate();
    const { gateway, own, other } = await start(memory, parts);
    try {
      const answers = Array.from({ length: 6 }, (_, i) => own.post('', large(`large ${i}`)));
      await until(
        'the first one is stored, the others wait',
        () => parts.streams.size === 1 && memory.bodies.waiting > 0,
      );
      answers.push(other.post('', large('of the other owner')));
      await until('the other owner’s is stored as well', () => parts.streams.size === 2);
      expect((await own.post('', { text: 'small' })).status).toBe(200);
      expect((await other.post('', { text: 'small' })).status).toBe(200);
      expect([memory.work.usedBytes <= 2 * WORK, memory.bodies.usedBytes <= 4 * 201 * KIB]).toEqual([true, true]);
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(metrics).toMatch(new RegExp(`^crosspost_large_body_work_bytes ${memory.work.usedBytes}$`, 'm'));
      expect(metrics).toMatch(/^crosspost_large_bodies_waiting [1-9]/m);

      parts.open();
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(7).fill(200));
      await until('nothing is reserved', () => memory.work.usedBytes + memory.bodies.usedBytes === 0);
      expect(parts.streams.size).toBe(7);
    } finally {
      await gateway.stop();
    }
  });

  it('are 503 with Retry-After where there is none in time, and leave nothing behind', async () => {
    const memory = createMemory(200);
    const parts = new PartsGate();
    const { gateway, own } = await start(memory, parts);
    try {
      const answers = Array.from({ length: 5 }, (_, i) => own.post('', large(`${i}`), { 'idempotency-key': `${i}` }));
      let refused = 0;
      for (const answer of answers) void answer.then(({ status }) => (refused += status === 503 ? 1 : 0));
      await until('four are refused', () => refused === 4);
      parts.open();
      const all = await Promise.all(answers);
      expect(all.map(({ status }) => status).sort()).toEqual([200, 503, 503, 503, 503]);
      for (const { status, body, headers } of all) {
        if (status === 200) continue;
        expect([headers.get('retry-after'), body.code]).toEqual(['5', 'too_many_large_requests']);
        expect(body.errors[0]).toContain('too many large requests');
      }
      expect(parts.streams.size).toBe(1);
      for (const [i, { status }] of all.entries()) {
        // An answer may be sent before its memory is given back, for which the next post waits only 200 ms.
        await until('nothing is reserved', () => memory.work.usedBytes + memory.bodies.usedBytes === 0);
        expect((await own.post('', large(`${i}`), { 'idempotency-key': `${i}` })).status).toBe(
          status === 200 ? 202 : 200,
        );
      }
      expect(await gateway.pool.query('select 1 from ops_erasure').then(({ rowCount }) => rowCount)).toBe(5);
    } finally {
      await gateway.stop();
    }
  });
});
