import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { FetchError } from '../../src/outbound-http/answer-receiver.js';
import { GuardedClient, type GuardedClientOptions } from '../../src/outbound-http/guarded-client.js';
import { createAddressPolicy } from '../../src/outbound-http/url-rules.js';
import { TestHost } from './test-host.js';

/** Allows loopback addresses, as for stand-ins. */
export const LOOPBACK = createAddressPolicy(['127.0.0.0/8', '::1/128']);

const open: { stop(): Promise<unknown> }[] = [];

/** Resources that stop after the test, in reverse order of their start. */
export const stopLater = (thing: { stop(): Promise<unknown> }): void => void open.unshift(thing);

afterEach(async () => {
  for (const thing of open.splice(0)) await thing.stop();
});

/** Starts a host for one test. */
export const host = async (options?: Parameters<typeof TestHost.start>[0]): Promise<TestHost> => {
  const started = await TestHost.start(options);
  stopLater(started);
  return started;
};

/** Beyond the needs of any test on a busy machine. */
const TIMEOUTS = { connectMs: 120_000, headersMs: 120_000, idleMs: 120_000 };

/** Creates a client for one test that may reach loopback addresses. */
export const clientWith = (options: Partial<GuardedClientOptions> = {}): GuardedClient => {
  const client = new GuardedClient({ policy: LOOPBACK, ...options, timeouts: { ...TIMEOUTS, ...options.timeouts } });
  stopLater({ stop: () => client.close() });
  return client;
};

/** Starts a TCP server for one test. */
export const tcp = async (onSocket: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stopLater({
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Limits beyond the needs of any test. */
export const LIMITS = { maxBytes: 1_000_000, timeoutMs: 120_000 };

/** Returns the error of a failing attempt; any other error than a FetchError fails the test. */
export const failure = async (attempt: Promise<unknown>): Promise<FetchError> => {
  const error: unknown = await attempt.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof FetchError)) throw error;
  return error;
};
