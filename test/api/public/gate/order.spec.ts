import { TestGateway } from '../gateway.js';
import { type Answer, findLogEntry, type LogEntry, sendRequest, stopLimitClock } from './calls.js';

let gateway: TestGateway;
let projects: string[];
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' });
  owner = await gateway.createOwner('business');
  projects = [await gateway.createProject(owner, [await gateway.createChannel(owner)])];
  await stopLimitClock(gateway.pool);
});
afterAll(() => gateway.stop());

interface Request {
  body: object | string;
  readonly headers: Record<string, string>;
}

/** A fault of a request or of its endpoint, and the answer to it. */
interface Fault {
  readonly status: number;
  readonly decision: string;
  /** A post with the key `known` was accepted before; the next is allowed after 60 s. */
  readonly afterPost?: true;
  readonly isDisabled?: true;
  readonly change?: (request: Request) => void;
}

/** The faults, in the order of D-7. Maintenance concerns the whole deployment and has a test below. */
const faults: Readonly<Record<string, Fault>> = {
  'a bad token': {
    status: 401,
    decision: 'rejected_auth',
    change: ({ headers }) => (headers.authorization = 'Bearer x'),
  },
  'a disabled endpoint': { status: 403, decision: 'rejected_paused', isDisabled: true },
  'a wrong media type': {
    status: 415,
    decision: 'rejected_validation',
    change: ({ headers }) => (headers['content-type'] = 'text/plain'),
  },
  'a known key': {
    status: 202,
    decision: 'accepted_idempotent_replay',
    afterPost: true,
    change: ({ headers }) => (headers['idempotency-key'] = 'known'),
  },
  'an exceeded min-interval': { status: 429, decision: 'rejected_rate_limit', afterPost: true },
  'a body that is not JSON': {
    status: 400,
    decision: 'rejected_validation',
    change: (request) => (request.body = '{"text": '),
  },
  'an unknown target': {
    status: 422,
    decision: 'rejected_validation',
    change: (request) => {
      if (typeof request.body === 'object') request.body = { ...request.body, targets: [{ id: 'tgt_none' }] };
    },
  },
};

/** Sends a request with these faults; returns the answer and its log entry. */
const sendFaulty = async (chosen: readonly Fault[]): Promise<{ answer: Answer; entry: LogEntry }> => {
  const endpoint = await gateway.createEndpoint(owner, projects, { min_interval: 60 });
  if (chosen.some(({ afterPost }) => afterPost))
    expect((await sendRequest(gateway.url, endpoint, { headers: { 'idempotency-key': 'known' } })).status).toBe(200);
  if (chosen.some(({ isDisabled }) => isDisabled))
    await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`, {});
  const request: Request = { body: { text: 'now' }, headers: {} };
  for (const { change } of chosen) change?.(request);
  const answer = await sendRequest(gateway.url, endpoint, request);
  return { answer, entry: await findLogEntry(gateway, endpoint, answer) };
};

const names = Object.keys(faults);

describe('a fault of a request', () => {
  it.each(names)('is answered: %s', async (name) => {
    const fault = faults[name]!;
    const { answer, entry } = await sendFaulty([fault]);
    expect([answer.status, entry.http_status, entry.decision]).toEqual([fault.status, fault.status, fault.decision]);
  });

  const pairs = names.flatMap((first, i) => names.slice(i + 1).map((second) => [first, second] as const));
  it.each(pairs)('is answered in the order of D-7: %s before %s', async (first, second) => {
    const { answer, entry } = await sendFaulty([faults[first]!, faults[second]!]);
    const { status, decision } = faults[first]!;
    expect([answer.status, entry.http_status, entry.decision]).toEqual([status, status, decision]);
  });
});

describe('a deployment under maintenance', () => {
  it('answers 503 before any other check, and records it in the endpoint’s log', async () => {
    const maintained = await TestGateway.start({ MAINTENANCE: 'on' });
    try {
      const endpoint = await maintained.createEndpoint(await maintained.createOwner(), []);
      for (const headers of [{}, { authorization: 'Bearer x' }]) {
        const answer = await sendRequest(maintained.url, endpoint, { headers });
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
        const logged = { decision: 'rejected_disabled', reason: 'maintenance', http_status: 503 };
        expect(await findLogEntry(maintained, endpoint, answer)).toMatchObject(logged);
      }
      expect((await sendRequest(maintained.url, { ...endpoint, slug: 'unknown' })).status).toBe(503);
      expect((await endpoint.info()).status).toBe(503);
    } finally {
      await maintained.stop();
    }
  });
});
