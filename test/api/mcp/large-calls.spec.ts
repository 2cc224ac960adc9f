import { RequestMemory } from '../../../src/api/transport/body-reader.js';
import type { EventStore } from '../../../src/event-store/port.js';
import { until } from '../../e2e/until.js';
import { type TestEndpoint, TestGateway } from '../public/gateway.js';
import { headersOf } from './assistant-clients.js';

const LARGE = 200_000;
const WAITS = { waiting: 100, waitMs: 60_000 };
const MANY = { ...WAITS, bytes: 50_000_000, bytesPerHolder: 50_000_000 };
/** Room for four calls, two per owner: bytes that are already in memory may take up to twice the limits. */
const toolCalls = { ...WAITS, bytes: 2.2 * LARGE, bytesPerHolder: 1.1 * LARGE };

describe('large tool calls', () => {
  const memory = new RequestMemory({ bodies: MANY, work: MANY, toolCalls });
  let open: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let gateway: TestGateway;
  let own: TestEndpoint;
  let other: TestEndpoint;
  beforeAll(async () => {
    /** Holds back the appends of payload parts, so that the tools keep running. */
    const wrapEventStore = (store: EventStore): EventStore => {
      const append = store.append.bind(store);
      store.append = async (stream, ...rest) => {
        if (stream.startsWith('payload-')) await opened;
        return append(stream, ...rest);
      };
      return store;
    };
    gateway = await TestGateway.start({}, undefined, { requestMemory: memory, wrapEventStore });
    const createEndpoint = async (): Promise<TestEndpoint> => {
      const owner = await gateway.createOwner();
      const project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
      return gateway.createEndpoint(owner, [project]);
    };
    [own, other] = [await createEndpoint(), await createEndpoint()];
  });
  afterAll(async () => {
    open();
    await gateway?.stop();
  });

  const publish = (endpoint: TestEndpoint, n: number, signal?: AbortSignal): Promise<Response> =>
    fetch(`${gateway.url}/sse/${endpoint.slug}`, {
      method: 'POST',
      headers: {
        ...headersOf(endpoint.token),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: n,
        method: 'tools/call',
        params: { name: 'service_publish', arguments: { text: `${n}`, metadata: { filler: 'x'.repeat(LARGE) } } },
      }),
      ...(signal && { signal }),
    });

  it('hold their memory until the tool has ended, each owner within its share', async () => {
    const gone = new AbortController();
    const first = publish(own, 1);
    const abandoned = publish(own, 2, gone.signal).catch(() => null);
    await until('both tools run', () => memory.work.usedBytes > 0 && memory.toolCalls.usedBytes > 2 * LARGE);
    gone.abort();
    await abandoned;

    // The tool of the client that has gone still runs.
    const refused = await publish(own, 3);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.text()).toContain('too_many_large_requests');
    const ofOther = publish(other, 4);
    await until('the other owner’s tool runs', () => memory.toolCalls.usedBytes > 3 * LARGE);

    open();
    for (const answer of [await first, await ofOther])
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('post_')]);
    await until('nothing is held', () => memory.toolCalls.usedBytes + memory.work.usedBytes === 0);
    expect((await publish(own, 5)).status).toBe(200);
  });
});
