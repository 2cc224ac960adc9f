import { TestGateway } from '../gateway.js';
import { type Answer, call, lineOf, type LogLine } from './calls.js';

let gateway: TestGateway;
let projects: string[];
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' });
  owner = await gateway.owner('business');
  projects = [await gateway.project(owner, [await gateway.channel(owner)])];
});
afterAll(() => gateway.stop());

interface Request {
  body: object | string;
  readonly headers: Record<string, string>;
}

/** Something that is wrong with a request, or with its endpoint, and what that is answered with. */
interface Fault {
  readonly status: number;
  readonly decision: string;
  /** A post with the key `known` has been accepted before; the next may come after 60 s. */
  readonly afterPost?: true;
  readonly isOff?: true;
  readonly change?: (request: Request) => void;
}

/** In the order of D-7. Maintenance and the month, which concern all of a deployment or of an owner, stand below. */
const faults: Readonly<Record<string, Fault>> = {
  'a bad token': {
    ...{ status: 401, decision: 'rejected_auth' },
    change: ({ headers }) => (headers.authorization = 'Bearer x'),
  },
  'an endpoint that is off': { status: 403, decision: 'rejected_paused', isOff: true },
  'another media type': {
    ...{ status: 415, decision: 'rejected_validation' },
    change: ({ headers }) => (headers['content-type'] = 'text/plain'),
  },
  'a known key': {
    ...{ status: 202, decision: 'accepted_idempotent_replay', afterPost: true },
    change: ({ headers }) => (headers['idempotency-key'] = 'known'),
  },
  'the interval': { status: 429, decision: 'rejected_rate_limit', afterPost: true },
  'a body that is no JSON': {
    ...{ status: 400, decision: 'rejected_validation' },
    change: (request) => (request.body = '{"text": '),
  },
  'a target that is none': {
    ...{ status: 422, decision: 'rejected_validation' },
    change: (request) => {
      if (typeof request.body === 'object') request.body = { ...request.body, targets: [{ id: 'tgt_none' }] };
    },
  },
};

/** Plays faults together: what the request got, and its line in the log. */
const play = async (chosen: readonly Fault[]): Promise<{ answer: Answer; line: LogLine }> => {
  const endpoint = await gateway.endpoint(owner, projects, { min_interval: 60 });
  if (chosen.some(({ afterPost }) => afterPost))
    expect((await call(gateway.url, endpoint, { headers: { 'idempotency-key': 'known' } })).status).toBe(200);
  if (chosen.some(({ isOff }) => isOff)) await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`, {});
  const request: Request = { body: { text: 'now' }, headers: {} };
  for (const { change } of chosen) change?.(request);
  const answer = await call(gateway.url, endpoint, request);
  return { answer, line: await lineOf(gateway, endpoint, answer) };
};

const names = Object.keys(faults);

describe('what is wrong with a request is answered', () => {
  it.each(names)('%s', async (name) => {
    const fault = faults[name]!;
    const { answer, line } = await play([fault]);
    expect([answer.status, line.http_status, line.decision]).toEqual([fault.status, fault.status, fault.decision]);
  });

  const pairs = names.flatMap((first, i) => names.slice(i + 1).map((second) => [first, second] as const));
  it.each(pairs)('%s before %s (D-7)', async (first, second) => {
    const { answer, line } = await play([faults[first]!, faults[second]!]);
    const { status, decision } = faults[first]!;
    expect([answer.status, line.http_status, line.decision]).toEqual([status, status, decision]);
  });
});

describe('a deployment under maintenance', () => {
  it('answers 503 before all else, and says so in the endpoint’s log', async () => {
    const closed = await TestGateway.start({ MAINTENANCE: 'on' });
    try {
      const endpoint = await closed.endpoint(await closed.owner(), []);
      for (const headers of [{}, { authorization: 'Bearer x' }]) {
        const answer = await call(closed.url, endpoint, { headers });
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
        const logged = { decision: 'rejected_disabled', reason: 'maintenance', http_status: 503 };
        expect(await lineOf(closed, endpoint, answer)).toMatchObject(logged);
      }
      expect((await call(closed.url, { ...endpoint, slug: 'nobody' })).status).toBe(503);
      expect((await endpoint.info()).status).toBe(503);
    } finally {
      await closed.stop();
    }
  });
});
