import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect, constants, type SecureClientSessionOptions } from 'node:http2';
import { status } from '@grpc/grpc-js';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { withTimeLimit } from '../../runtime/sleep.js';
import { openGrpcClient, reportFailure, withoutOldName } from './clients.js';
import { type CallListener, createGrpcError, GrpcCall } from './grpc-call.js';
import { convertToCommandError, internalsOf, parseConnectionString } from './library-internals.js';

export type { GrpcCall };

/** The client's own defaults. */
const KEEP_ALIVE_MS = 10_000;

/** Number of bytes that the server may send unacknowledged. HTTP/2's default of 64 KiB makes it wait repeatedly. */
const WINDOW_BYTES = 1_048_576;

/** Options for a connection, parsed from a connection string. */
export interface ConnectionOptions {
  /** Null if not encrypted. */
  readonly tls: SecureClientSessionOptions | null;
  /** Keep-alive interval in ms; negative to disable it. */
  readonly keepAliveMs: number;
  /** How long to wait for a keep-alive response, in ms. */
  readonly keepAliveTimeoutMs: number;
}

/**
 * Reads the options of a valid connection string, and the files that it names.
 * @throws Error if a file cannot be read
 */
export const readConnectionOptions = (connectionString: string): ConnectionOptions => {
  const options = parseConnectionString(withoutOldName(connectionString));
  const { tls = true, tlsVerifyCert = true, tlsCAFile, userCertFile, userKeyFile } = options;
  const { keepAliveInterval = KEEP_ALIVE_MS, keepAliveTimeout = KEEP_ALIVE_MS } = options;
  const certificates = {
    ...(tlsCAFile && { ca: readFileSync(tlsCAFile) }),
    ...(userCertFile && { cert: readFileSync(userCertFile) }),
    ...(userKeyFile && { key: readFileSync(userKeyFile) }),
  };
  return {
    tls: tls ? { rejectUnauthorized: tlsVerifyCert, ...certificates } : null,
    keepAliveMs: keepAliveInterval,
    keepAliveTimeoutMs: keepAliveTimeout < 0 ? Infinity : keepAliveTimeout,
  };
};

/**
 * Opens a call over a separate connection. The client supplies the node, discovering it if necessary, and the
 * credentials. It is notified if the call fails, so that it looks for another node or the new leader.
 * @param timeoutMs time limit for the connection
 * @throws the client's errors if it finds no node of the cluster, or the node does not respond
 */
export const openOwnCall = async (
  client: KurrentDBClient,
  path: string,
  { tls, keepAliveMs, keepAliveTimeoutMs }: ConnectionOptions,
  timeoutMs: number,
  listener: CallListener,
): Promise<GrpcCall> => {
  const grpc = await openGrpcClient(client);
  const address = grpc
    .getChannel()
    .getTarget()
    .replace(/^dns:\/*/, '');
  try {
    const headers = await createHeaders(client, path);
    const session = await openSession(address, tls, timeoutMs);
    if (keepAliveMs >= 0) keepAlive(session, keepAliveMs, keepAliveTimeoutMs);
    const onEnd = (error: Error | null): void => listener.onEnd(error && convertToCommandError(error));
    return new GrpcCall(session, headers, { ...listener, onEnd }, (error) => reportFailure(client, grpc, error));
  } catch (error) {
    const failure = createGrpcError(status.UNAVAILABLE, (error as Error).message);
    reportFailure(client, grpc, failure);
    throw convertToCommandError(failure);
  }
};

const createHeaders = async (client: KurrentDBClient, path: string) => {
  const [metadata, { credentials }] = internalsOf(client).callArguments({}, { deadline: Infinity });
  if (credentials) metadata.merge(await credentials.generateMetadata({ service_url: '', method_name: path }));
  return { ...metadata.toHttp2Headers(), [constants.HTTP2_HEADER_PATH]: path };
};

const openSession = async (
  address: string,
  tls: SecureClientSessionOptions | null,
  timeoutMs: number,
): Promise<ClientHttp2Session> => {
  const session = connect(`${tls ? 'https' : 'http'}://${address}`, {
    ...tls,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
  });
  const connected = new Promise<void>((resolve, reject) => {
    session.once('connect', () => {
      session.setLocalWindowSize(WINDOW_BYTES);
      resolve();
    });
    session.once('error', reject);
    session.once('close', () => reject(new Error('the connection was closed')));
  });
  try {
    await withTimeLimit(connected, timeoutMs, () => new Error(`no connection within ${timeoutMs} ms`));
    return session;
  } catch (error) {
    session.on('error', () => undefined);
    session.destroy();
    throw error;
  }
};

/** Closes a connection whose server stops responding. If the machine has disappeared, nothing else would close it. */
const keepAlive = (session: ClientHttp2Session, everyMs: number, timeoutMs: number): void => {
  let late: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (late !== undefined || session.destroyed) return;
    if (timeoutMs < Infinity)
      late = setTimeout(() => session.destroy(new Error('the server does not answer a ping')), timeoutMs).unref();
    session.ping(() => {
      clearTimeout(late);
      late = undefined;
    });
  }, everyMs).unref();
  session.once('close', () => {
    clearInterval(timer);
    clearTimeout(late);
  });
};
