import { connect, type Socket } from 'node:net';
import { until } from '../../../e2e/until.js';
import { parseResponses, type RawResponse } from '../../transport/raw-http.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';
import { ignoreStalls, sign } from './calls.js';

const MIB = 1_048_576;
/** Bytes of unauthenticated bodies that a gateway holds, and those that it reads at the same time (ADR-88). */
const MAX_HELD_BYTES = 32 * MIB;
const MAX_READING = 1_000;
const CLIENTS = 1_200;
/** A body that is almost as large as allowed. */
const LARGE = 5 * MIB - 1;

let gateway: TestGateway;
let owner: string;
const sockets: Socket[] = [];
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
});
afterAll(() => gateway.stop());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

interface Request {
  readonly path: string;
  readonly token: string;
  readonly signature?: string;
}

/** Sends the head of a post, and a body without its last byte. */
const sendMost = ({ path, token, signature = 'none' }: Request, length: number) => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let received = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      received += data.toString();
      if (received.includes('\r\n\r\n{')) resolve();
    });
    socket.on('close', () => resolve()).on('error', () => undefined);
  });
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      ...['Host: x', 'Content-Type: application/json', `Content-Length: ${length}`],
      ...[`Authorization: Bearer ${token}`, `X-Service-Client-Signature: ${signature}`, '\r\n'],
    ].join('\r\n'),
  );
  const sent = new Promise<void>((resolve) => {
    socket.write(Buffer.alloc(length - 1, 'a'), () => resolve());
    socket.on('close', () => resolve());
  });
  const finish = (): boolean => socket.write('a');
  const answer = async (): Promise<RawResponse & { readonly text: string }> => {
    await answered;
    return { ...parseResponses(received)[0]!, text: received };
  };
  return { sent, finish, answer };
};

const readGauge = async (name: string): Promise<number> => {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)![1]);
};
const readHeldBytes = (): Promise<number> => readGauge('crosspost_unauthenticated_body_bytes');

const pathOf = ({ slug }: TestEndpoint): string => `/v1/webhooks/${slug}`;

describe('bodies of requests that are not authenticated (ADR-88)', () => {
  it('are not held where slug, token, address or timestamp are wrong, however large they are', async () => {
    const endpointWith = (settings: object) => gateway.createEndpoint(owner, [], settings);
    const open = await endpointWith({});
    const guarded = await endpointWith({ ip_allowlist: ['203.0.113.7'] });
    const timed = await endpointWith({ require_timestamp: true });
    const causes: Request[] = [
      { path: '/v1/webhooks/unknown-slug', token: 'wrong' },
      { path: pathOf(open), token: 'wrong' },
      { path: pathOf(guarded), token: guarded.token },
      { path: pathOf(timed), token: timed.token },
      { path: '/v1/sandbox/test', token: 'wrong' },
    ];
    // More than may be held: 20 bodies of 5 MB.
    const requests = Array.from({ length: 20 }, (_, i) => sendMost(causes[i % causes.length]!, LARGE));
    await Promise.all(requests.map(({ sent }) => sent));
    await until('nothing is held', async () => (await readHeldBytes()) === 0);
    for (const { finish } of requests) finish();
    const answers = await Promise.all(requests.map(({ answer }) => answer()));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.replace(/req_\w+/, 'req_')}`))).toEqual(
      new Set([expect.stringContaining('401 ')]),
    );
    await until('none is read', async () => (await readGauge('crosspost_unauthenticated_bodies')) === 0);
  });

  it('are held in all up to a limit where only the signature is left to check; beyond it they are 503', async () => {
    const signed = await gateway.createEndpoint(owner, [], { require_signature: true });
    const other = await gateway.createEndpoint(owner, []);
    const body = Buffer.alloc(LARGE, 'a');
    const request = { path: pathOf(signed), token: signed.token, signature: sign(signed.secret, body) };
    expect((await other.post('', { text: 'a' })).status).toBe(200);
    let most = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) most = Math.max(most, await readHeldBytes());
    })();
    const countStalls = ignoreStalls(); // otherwise bodies could count as withheld before all have begun to arrive
    const requests = Array.from({ length: 12 }, () => sendMost(request, LARGE));
    await Promise.all(requests.map(({ sent }) => sent));
    expect((await other.post('', { text: 'a' })).status).toBe(200); // needs no signature
    // More was sent than may be held, so one is refused although none is complete.
    await Promise.race(requests.map(({ answer }) => answer())).finally(countStalls);
    for (const { finish } of requests) finish();
    const answers = await Promise.all(requests.map(({ answer }) => answer()));
    isOver = true;
    await watching;
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { text } of refused) {
      expect(text).toContain('"code":"too_many_unauthenticated"');
      expect(text).toMatch(/^retry-after: 1\r$/im);
      expect(text).toMatch(/^connection: close\r$/im);
    }
    expect(most).toBeLessThanOrEqual(MAX_HELD_BYTES + MIB);
    await until('nothing is held', async () => (await readHeldBytes()) === 0);
    // The signature is right, but the body is not JSON.
    const last = sendMost(request, LARGE);
    last.finish();
    expect(await last.answer()).toMatchObject({ status: 400 });
  });

  it('are not read for more clients than allowed at the same time', async () => {
    const open = await gateway.createEndpoint(owner, []);
    expect((await open.post('', { text: 'a' })).status).toBe(200);
    const answers: Promise<RawResponse>[] = [];
    let most = 0;
    while (answers.length < CLIENTS) {
      const requests = Array.from({ length: 100 }, () => sendMost({ path: pathOf(open), token: 'wrong' }, 10));
      await Promise.all(requests.map(({ sent }) => sent));
      answers.push(...requests.map(({ answer }) => answer()));
      most = Math.max(most, await readGauge('crosspost_unauthenticated_bodies'));
    }
    expect((await open.info()).status).toBe(200);
    for (const { status } of await Promise.all(answers)) expect([401, 503]).toContain(status);
    expect(most).toBeLessThanOrEqual(MAX_READING);
    await until('none is read', async () => (await readGauge('crosspost_unauthenticated_bodies')) === 0);
  });
});
