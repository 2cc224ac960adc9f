import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, disposeClient } from '../../../src/event-store/kurrentdb/clients.js';
import { type GrpcCall, joinMessages } from '../../../src/event-store/kurrentdb/grpc-call.js';
import { openOwnCall, readConnectionOptions } from '../../../src/event-store/kurrentdb/own-connection.js';
import { until } from '../../e2e/until.js';
import { TEST_CERTIFICATE } from '../../support/test-certificate.js';

type Answer = (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void;

const PATH = '/a.Service/Call';

/** Messages and end of a call. */
interface Received {
  readonly messages: string[];
  readonly goAways: number;
  /** Undefined until the call has ended. */
  readonly end: Error | null | undefined;
}

describe('a call over a connection of its own', () => {
  const cleanUps: (() => unknown)[] = [];
  /** Connections to the servers. */
  const sockets = new Set<Socket>();
  const breakConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** Starts a server that treats every call like this. Returns its connection string. */
  const startServer = async (answer: Answer, server: Http2Server = createServer()): Promise<string> => {
    server.on('connection', (socket: Socket) => sockets.add(socket));
    server.on('sessionError', () => undefined);
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      answer(stream, headers);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => {
      server.close();
      breakConnections();
    });
    return `kurrentdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`;
  };

  const open = async (
    connectionString: string,
    timeoutMs = 60_000,
  ): Promise<{ call: GrpcCall; received: Received }> => {
    const client = createClient(connectionString);
    cleanUps.push(() => disposeClient(client));
    const received: { -readonly [Key in keyof Received]: Received[Key] } = { messages: [], goAways: 0, end: undefined };
    const call = await openOwnCall(client, PATH, readConnectionOptions(connectionString), timeoutMs, {
      onMessage: (message) => received.messages.push(message.toString()),
      onDrain: () => undefined,
      onGoAway: () => (received.goAways += 1),
      onEnd: (error) => (received.end = error),
    });
    cleanUps.push(() => call.cancel());
    return { call, received };
  };

  const begin = (stream: ServerHttp2Stream): void =>
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });

  /** Answers with messages and a status. */
  const answerWith =
    (messages: readonly string[], trailers: Readonly<Record<string, string>>): Answer =>
    (stream) => {
      begin(stream);
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.end(joinMessages(messages.map((message) => Buffer.from(message))));
    };

  const waitForEnd = async (received: Received): Promise<Error | null | undefined> => {
    await until('the call has ended', () => received.end !== undefined);
    return received.end;
  };

  it('sends what is written in one turn in one piece, with the headers of the client', async () => {
    const chunks: Buffer[] = [];
    let seen: Readonly<Record<string, unknown>> = {};
    const url = await startServer((stream, headers) => {
      seen = headers;
      begin(stream);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    });
    const { call } = await open(`${url}&connectionName=gateway`);
    const messages = [Buffer.from('one'), Buffer.from('two'), Buffer.alloc(0)];
    call.write(messages);
    await until('the messages have arrived', () => chunks.length > 0);
    expect(chunks[0]).toEqual(joinMessages(messages));
    expect(seen).toMatchObject({
      ':method': 'POST',
      ':path': PATH,
      te: 'trailers',
      'content-type': 'application/grpc',
    });
    expect(seen['connection-name']).toBe('gateway');
  });

  it('delivers the messages before the end, which has no error if the status is OK', async () => {
    const url = await startServer(answerWith(['one', 'two'], { 'grpc-status': '0' }));
    const { received } = await open(url);
    expect(await waitForEnd(received)).toBeNull();
    expect(received.messages).toEqual(['one', 'two']);
  });

  it.each([
    ['after messages', answerWith(['one'], { 'grpc-status': '14', 'grpc-message': 'It%27s away' })],
    [
      'alone',
      (stream: ServerHttp2Stream) =>
        stream.respond({ ':status': 200, 'grpc-status': '14', 'grpc-message': 'It%27s away' }, { endStream: true }),
    ],
  ])('ends with the error of a status that comes %s', async (_, answer) => {
    const { received } = await open(await startServer(answer));
    expect(await waitForEnd(received)).toMatchObject({
      type: 'unavailable',
      code: 14,
      message: expect.stringMatching("It's away"),
    });
  });

  it('ends with the address of the leader if the node is not the leader', async () => {
    const leader = { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': '1234', exception: 'not-leader' };
    const { received } = await open(await startServer(answerWith([], { 'grpc-status': '5', ...leader })));
    expect(await waitForEnd(received)).toMatchObject({ leader: { address: '127.0.0.1', port: 1_234 } });
  });

  it.each([
    [401, { type: 'access-denied', code: 16 }],
    [404, { code: 12 }],
    [503, { type: 'unavailable' }],
  ])('ends with an error if the answer is HTTP %i', async (httpStatus, error) => {
    const { received } = await open(
      await startServer((stream) => stream.respond({ ':status': httpStatus }, { endStream: true })),
    );
    expect(await waitForEnd(received)).toMatchObject(error);
  });

  it.each([
    ['the connection breaks', breakConnections],
    ['the server resets the call', (stream: ServerHttp2Stream) => stream.close(2)],
    [
      'a message cannot be read',
      (stream: ServerHttp2Stream) => {
        begin(stream);
        stream.write(Buffer.from([1, 0, 0, 0, 1, 7]));
      },
    ],
  ])('ends as unavailable if %s', async (_, answer) => {
    const { received } = await open(await startServer(answer));
    expect(await waitForEnd(received)).toMatchObject({ type: 'unavailable' });
  });

  it('hears that the server takes no new calls, and goes on', async () => {
    const url = await startServer((stream) => {
      begin(stream);
      stream.session!.goaway();
      setTimeout(() => stream.write(joinMessages([Buffer.from('late')])), 50);
    });
    const { received } = await open(url);
    await until('the late message has arrived', () => received.messages.length > 0);
    expect(received).toMatchObject({ messages: ['late'], end: undefined });
    expect(received.goAways).toBeGreaterThan(0);
  });

  it('ends when the server does not answer a ping', async () => {
    const url = await startServer(begin);
    const { warn } = console;
    console.warn = () => undefined; // the client warns of so short an interval
    cleanUps.push(() => (console.warn = warn));
    type Ping = (callback: () => void) => boolean;
    const sessionOf = (call: GrpcCall) => (call as unknown as { readonly session: { ping: Ping } }).session;
    // The limit is much longer than a busy machine ever pauses. Each ping is sent after the answer to the previous one.
    const answered = await open(`${url}&keepAliveInterval=100&keepAliveTimeout=60000`);
    const session = sessionOf(answered.call);
    const ping = session.ping.bind(session);
    let pings = 0;
    session.ping = (callback) => {
      pings += 1;
      return ping(callback);
    };
    await until('pings are answered', () => pings > 3);
    expect(answered.received.end).toBeUndefined();
    const { call, received } = await open(`${url}&keepAliveInterval=100&keepAliveTimeout=200`);
    sessionOf(call).ping = () => true;
    expect(await waitForEnd(received)).toMatchObject({ type: 'unavailable', message: expect.stringMatching('ping') });
  });

  it('is not opened within a time limit if nothing answers', async () => {
    const silent = createTcpServer();
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    silent.on('connection', (socket: Socket) => sockets.add(socket));
    await expect(open(`kurrentdb://127.0.0.1:${port}?tls=true`, 300)).rejects.toMatchObject({ type: 'unavailable' });
    breakConnections();
  });

  describe('with TLS', () => {
    const startSecureServer = async (answer: Answer): Promise<string> => {
      const url = await startServer(answer, createSecureServer(TEST_CERTIFICATE));
      return url.replace('tls=false', 'tls=true').replace('//', '//user:pass%3Aword@');
    };

    it('sends the credentials to a server whose certificate is signed by the given authority', async () => {
      const dir = await mkdtemp(join(tmpdir(), 'crosspost-'));
      cleanUps.push(() => rm(dir, { recursive: true }));
      const file = join(dir, 'ca.crt');
      await writeFile(file, TEST_CERTIFICATE.cert);
      let authorization: unknown;
      const url = await startSecureServer((stream, headers) => {
        ({ authorization } = headers);
        answerWith(['one'], { 'grpc-status': '0' })(stream, headers);
      });
      const { received } = await open(`${url}&tlsCAFile=${file}`);
      expect(await waitForEnd(received)).toBeNull();
      expect(authorization).toBe(`Basic ${Buffer.from('user:pass:word').toString('base64')}`);
    });

    it('refuses another certificate, unless the connection string switches the check off', async () => {
      const url = await startSecureServer(answerWith([], { 'grpc-status': '0' }));
      await expect(open(url)).rejects.toMatchObject({
        type: 'unavailable',
        message: expect.stringMatching('certificate'),
      });
      const { received } = await open(`${url}&tlsVerifyCert=false`);
      expect(await waitForEnd(received)).toBeNull();
    });
  });
});
