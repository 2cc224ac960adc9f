import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent, type Dispatcher } from 'undici';
import { createConnections, exchange, type ExchangeLimits } from '../../src/platforms/exchange.js';
import { freePort } from '../support/free-port.js';
import { holdTimers, releaseTimers } from '../support/held-timers.js';

const connections = createConnections();
afterAll(() => connections.destroy());

const open: (Server | TcpServer)[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  releaseTimers();
  for (const socket of sockets) socket.destroy();
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

const listening = async <S extends Server | TcpServer>(server: S): Promise<number> => {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
/** Keeps idle connections, so that none is closed between two exchanges however far apart they are. */
const http = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listening(createServer({ keepAliveTimeout: 300_000 }, listener))}`;

const post = (
  url: string,
  limits: Partial<ExchangeLimits> = {},
  body: string | Readable = '{}',
  by: Dispatcher = connections,
) =>
  exchange(
    by,
    { method: 'POST', url, headers: { 'content-type': 'application/json' }, body },
    { timeoutMs: 120_000, signal: new AbortController().signal, ...limits },
  );

describe('an exchange with a response', () => {
  it('has the status, the headers and the complete body for any status', async () => {
    const url = await http((request, response) => {
      response.writeHead(418, { 'x-a': 'b' });
      request.pipe(response);
    });
    const answer = await post(`${url}/path?query=1`, {}, 'тело');
    expect(answer).toMatchObject({ kind: 'answered', status: 418, headers: { 'x-a': 'b' } });
    expect(answer.kind === 'answered' && answer.body.toString()).toBe('тело');
  });

  it('sends a streamed body, and does not follow a redirect', async () => {
    let received = '';
    const url = await http((request, response) => {
      request.on('data', (chunk: Buffer) => (received += chunk.toString()));
      request.on('end', () => response.writeHead(302, { location: '/elsewhere' }).end());
    });
    expect(await post(url, {}, Readable.from(['one ', 'two']))).toMatchObject({ kind: 'answered', status: 302 });
    expect(received).toBe('one two');
  });

  it('is answered if the response arrived while the process stood still past the time-out', async () => {
    const RECEIVED = 1;
    const MAY_ANSWER = 2;
    const ANSWERED = 3;
    const progress = new Int32Array(new SharedArrayBuffer(4));
    // Runs in a separate thread, so that it answers while this one is blocked.
    const thread = new Worker(
      `const { parentPort, workerData: progress } = require('node:worker_threads');
      const server = require('node:http').createServer((request, response) => {
        request.resume();
        Atomics.store(progress, 0, ${RECEIVED});
        const timer = setInterval(() => {
          if (Atomics.load(progress, 0) !== ${MAY_ANSWER}) return;
          clearInterval(timer);
          response.end('{}', () => {
            Atomics.store(progress, 0, ${ANSWERED});
            Atomics.notify(progress, 0);
          });
        }, 5);
      });
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
      { eval: true, workerData: progress },
    );
    const port = await new Promise<number>((resolve) => thread.once('message', resolve));
    const timeoutMs = 10_000;
    const letPass = holdTimers(timeoutMs);
    const outcome = post(`http://127.0.0.1:${port}`, { timeoutMs });
    while (Atomics.load(progress, 0) !== RECEIVED) await sleep(5);
    await new Promise(setImmediate); // from here, the event loop runs timers before it reads sockets
    Atomics.store(progress, 0, MAY_ANSWER);
    Atomics.wait(progress, 0, MAY_ANSWER);
    Atomics.wait(progress, 0, ANSWERED, 1_000); // until the response has reached the socket
    letPass();
    const ended = await outcome;
    await thread.terminate();
    expect(ended).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('reuses connections', async () => {
    const ports = new Set<number | undefined>();
    const url = await http((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    for (let n = 0; n < 20; n++) await post(url);
    expect(ports.size).toBeLessThan(5);
  });

  it('runs hundreds of exchanges concurrently', async () => {
    const waiting: (() => void)[] = [];
    const url = await http((_, response) => {
      waiting.push(() => response.end('{}'));
      if (waiting.length === 300) for (const answer of waiting) answer();
    });
    const answers = await Promise.all(Array.from({ length: 300 }, () => post(url)));
    expect(answers.every(({ kind }) => kind === 'answered')).toBe(true);
  });
});

describe('an exchange is never_sent', () => {
  it('when the port is closed', async () => {
    expect(await post(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      kind: 'never_sent',
      code: 'ECONNREFUSED',
    });
  });

  it('when the host is unknown', async () => {
    const outcome = await post('http://no-such-host.invalid/');
    expect(outcome).toMatchObject({ kind: 'never_sent', code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) });
  });

  it('when the TLS handshake fails', async () => {
    const port = await listening(createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await post(`https://127.0.0.1:${port}`)).toMatchObject({ kind: 'never_sent' });
  });

  it('when the time-out passes before there is a connection', async () => {
    const port = await listening(createTcpServer());
    const outcome = await post(`https://127.0.0.1:${port}`, { timeoutMs: 100 });
    expect(outcome).toMatchObject({ kind: 'never_sent', code: 'timed_out' });
  });

  it('when the time-out passes before a connection is free, and is not sent once one is', async () => {
    const single = new Agent({ connections: 1, pipelining: 1 });
    const calls: string[] = [];
    let arrive: (response: ServerResponse) => void;
    const arrived = new Promise<ServerResponse>((resolve) => (arrive = resolve));
    const url = await http((request, response) => {
      calls.push(request.url ?? '');
      if (request.url === '/first') arrive(response);
      else response.end();
    });
    const first = post(`${url}/first`, {}, '{}', single);
    const late = post(`${url}/late`, { timeoutMs: 100 }, '{}', single);
    const last = post(`${url}/last`, {}, '{}', single);
    expect(await late).toMatchObject({ kind: 'never_sent', code: 'timed_out' });
    (await arrived).end();
    expect([await first, await last]).toMatchObject([{ kind: 'answered' }, { kind: 'answered' }]);
    expect(calls).toEqual(['/first', '/last']);
    await single.destroy();
  });

  it('when the call was aborted before it began', async () => {
    const calls: string[] = [];
    const url = await http((request, response) => {
      calls.push(request.url ?? '');
      response.end();
    });
    expect(await post(url, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'never_sent', code: 'aborted' });
    expect(await post(`${url}/after`)).toMatchObject({ kind: 'answered' });
    expect(calls).toEqual(['/after']);
  });

  it('when the URL is malformed', async () => {
    expect(await post('nonsense')).toMatchObject({ kind: 'never_sent' });
  });
});

describe('an exchange whose lease has passed (D-84)', () => {
  it('sends nothing if that is so once there is a connection', async () => {
    const calls: string[] = [];
    const url = await http((request, response) => {
      calls.push(request.url ?? '');
      response.end();
    });
    let isHeld = true;
    const single = new Agent({
      pipelining: 1,
      connect: (options, callback) => {
        const socket = connect(Number(options.port), options.hostname, () => {
          isHeld = false; // as if the process had been suspended while it connected
          callback(null, socket);
        });
      },
    });
    const outcome = await post(url, { holdsLease: () => isHeld }, '{}', single);
    expect(outcome).toMatchObject({ kind: 'never_sent', code: 'lease_lost' });
    isHeld = true;
    expect(await post(`${url}/after`, { holdsLease: () => isHeld })).toMatchObject({ kind: 'answered' });
    expect(calls).toEqual(['/after']);
    await single.destroy();
  });

  it('breaks a streamed body off', async () => {
    const received: Buffer[] = [];
    let isWhole = false;
    let onPart!: () => void;
    let onClose!: () => void;
    const arrived = new Promise<void>((resolve) => (onPart = resolve));
    const closed = new Promise<void>((resolve) => (onClose = resolve));
    const url = await http((request) => {
      request.on('data', (part: Buffer) => {
        received.push(part);
        onPart();
      });
      request.on('end', () => (isWhole = true));
      request.on('close', onClose);
    });
    let isHeld = true;
    async function* parts(): AsyncGenerator<string> {
      yield 'one ';
      await arrived;
      isHeld = false;
      yield 'two ';
    }
    const outcome = await post(url, { holdsLease: () => isHeld }, Readable.from(parts()));
    await closed;
    expect(outcome).toMatchObject({ kind: 'lost', code: 'lease_lost' });
    expect(Buffer.concat(received).toString()).toBe('one ');
    expect(isWhole).toBe(false);
  });
});

describe('an exchange is lost', () => {
  it('when the connection breaks before the response', async () => {
    const url = await http((request) => request.socket.destroy());
    expect(await post(url)).toMatchObject({ kind: 'lost', status: null });
  });

  it('when the connection breaks during the response', async () => {
    const url = await http((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"ok":', () => response.destroy());
    });
    expect(await post(url)).toMatchObject({ kind: 'lost', status: 200 });
  });

  it('when the time-out passes', async () => {
    const letPass = holdTimers(100);
    const url = await http(() => letPass());
    expect(await post(url, { timeoutMs: 100 })).toMatchObject({ kind: 'lost', code: 'timed_out' });
  });

  it('when it is aborted in the meantime', async () => {
    const controller = new AbortController();
    const url = await http(() => controller.abort());
    expect(await post(url, { signal: controller.signal })).toMatchObject({ kind: 'lost', code: 'aborted' });
  });

  it('when the response does not end', async () => {
    const url = await http((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(await post(url)).toMatchObject({ kind: 'lost', code: 'answer_too_long' });
  });

  it('when the server does not speak HTTP', async () => {
    const port = await listening(createTcpServer((socket) => socket.once('data', () => socket.end('SSH-2.0\r\n'))));
    expect(await post(`http://127.0.0.1:${port}`)).toMatchObject({ kind: 'lost' });
  });
});

describe('the status alone makes a refusal (D-25): the network did nothing', () => {
  const refusing = (end: (response: ServerResponse) => void) =>
    http((request, response) => {
      request.resume();
      response.writeHead(429, { 'content-length': 20_000_000, 'retry-after': '7' });
      response.write('<html>', () => end(response));
    });

  it.each<readonly [string, (response: ServerResponse) => void, Partial<ExchangeLimits>]>([
    ['breaks off', (response) => response.destroy(), {}],
    ['is longer than any response', (response) => response.end(Buffer.alloc(19_999_994)), {}],
    // The headers must arrive in time, on a busy machine too.
    ['does not arrive in time', () => undefined, { timeoutMs: 15_000 }],
  ])('even if its body %s', async (_, end, limits) => {
    const outcome = await post(await refusing(end), limits);
    expect(outcome).toMatchObject({ kind: 'answered', status: 429, headers: { 'retry-after': '7' } });
  });
});
