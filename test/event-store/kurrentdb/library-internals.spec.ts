import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { ErrorType } from '@kurrent/kurrentdb-client';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { createClient, disposeClient } from '../../../src/event-store/kurrentdb/clients.js';
import {
  convertToCommandError,
  internalsOf,
  isClientCancellationError,
  parseConnectionString,
  readStreamMetadata,
} from '../../../src/event-store/kurrentdb/library-internals.js';
import { freePort } from '../../support/free-port.js';

const require = createRequire(import.meta.url);

/** Longest time in ms until gRPC-js tries a refused connection again. */
const RETRY_MS = 1_600;

const grpcError = (code: status, details: string, metadata: Readonly<Record<string, string>> = {}): Error => {
  const known = new Metadata();
  for (const [name, value] of Object.entries(metadata)) known.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata: known });
};

describe('the packages that the adapter reaches into', () => {
  const readVersion = (file: string): string => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;

  it('are the pinned ones, and the client uses the same gRPC-js', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    for (const name of ['@grpc/grpc-js', '@kurrent/kurrentdb-client'])
      expect([name, dependencies[name]]).toEqual([name, readVersion(`node_modules/${name}/package.json`)]);
    const ofClient = createRequire(require.resolve('@kurrent/kurrentdb-client'));
    expect(ofClient.resolve('@grpc/grpc-js')).toBe(require.resolve('@grpc/grpc-js'));
  });

  it('read connection strings with these options', () => {
    const options = {
      tls: true,
      tlsVerifyCert: false,
      tlsCAFile: '/ca',
      userCertFile: '/cert',
      userKeyFile: '/key',
      keepAliveInterval: 20_000,
      keepAliveTimeout: 30_000,
    };
    const query = Object.entries(options).map(([name, value]) => `${name}=${value}`);
    expect(parseConnectionString(`kurrentdb://127.0.0.1:2113?${query.join('&')}`)).toMatchObject(options);
  });

  it('name errors and metadata so', () => {
    const leader = { exception: 'not-leader', 'leader-endpoint-host': 'h', 'leader-endpoint-port': '1' };
    expect(convertToCommandError(grpcError(status.UNAVAILABLE, 'away'))).toMatchObject({ type: ErrorType.UNAVAILABLE });
    expect(convertToCommandError(grpcError(status.NOT_FOUND, 'leader', leader))).toMatchObject({
      type: ErrorType.NOT_LEADER,
      leader: { address: 'h', port: 1 },
    });
    expect(isClientCancellationError(grpcError(status.CANCELLED, 'Cancelled on client'))).toBe(true);
    expect(isClientCancellationError(grpcError(status.CANCELLED, 'by the server'))).toBe(false);
    expect(readStreamMetadata({ $maxCount: 3, $tb: 2 })).toMatchObject({ maxCount: 3, truncateBefore: 2 });
  });
});

it('a client has the parts that its own calls use, and opens another channel after a failure', async () => {
  const client = createClient('kurrentdb://127.0.0.1:2113?tls=false&connectionName=gateway');
  try {
    const internals = internalsOf(client);
    const grpc = await internals.getGRPCClient(streams.StreamsClient, 'call');
    const channel = await internals.getChannel();
    expect(grpc).toBeInstanceOf(Client);
    expect(grpc.getChannel()).toBe(channel);
    const [metadata, options] = internals.callArguments({}, { deadline: Infinity });
    expect(metadata.getMap()).toMatchObject({ 'connection-name': 'gateway' });
    expect(options).toEqual({ deadline: Infinity });
    const away = grpcError(status.UNAVAILABLE, 'away');
    expect(internals.shouldReconnect(grpcError(status.PERMISSION_DENIED, 'no'))[0]).toBe(false);
    expect(internals.shouldReconnect(away)[0]).toBe(true);
    await internals.handleError(grpc, away);
    expect(await internals.getChannel()).not.toBe(channel);
  } finally {
    await disposeClient(client);
  }
});

it('a channel that is closed while its server refuses connections does not connect later', async () => {
  const port = await freePort();
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const identity = (value: Buffer): Buffer => value;
  const failed = new Promise((resolve) =>
    client.makeUnaryRequest('/a.Service/Call', identity, identity, Buffer.alloc(0), resolve),
  );
  expect(await failed).toMatchObject({ code: 14 });
  client.close();

  let connections = 0;
  const server = createServer();
  server.on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  await sleep(RETRY_MS);
  await new Promise((resolve) => server.close(resolve));
  expect(connections).toBe(0);
});
