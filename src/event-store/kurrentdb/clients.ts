import type { Client as GrpcClient } from '@grpc/grpc-js';
import { KurrentDBClient } from '@kurrent/kurrentdb-client';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import { internalsOf } from './library-internals.js';

/**
 * Creates a client. Replaces `esdb:` with the equivalent `kurrentdb:`, because the library warns about `esdb:`.
 * @throws Error for an invalid string or an unknown option
 */
export const createClient = (connectionString: string): KurrentDBClient =>
  rejectUnknownOptions(() => KurrentDBClient.connectionString(withoutOldName(connectionString)));

/** Returns a connection string with `kurrentdb:` instead of `esdb:`. */
export const withoutOldName = (connectionString: string): string =>
  connectionString.replace(/^esdb(?=:|\+)/, 'kurrentdb');

/** Throws for an unknown option. The library only prints a warning, which reveals the string with its password. */
const rejectUnknownOptions = <T>(parse: () => T): T => {
  const { warn } = console;
  let unknown: string | undefined;
  console.warn = (...words: unknown[]) => {
    const option = /^Unknown option key ".*?"/.exec(String(words[0]))?.[0];
    if (option === undefined) warn(...words);
    unknown ??= option;
  };
  try {
    const parsed = parse();
    if (unknown !== undefined) throw new Error(unknown);
    return parsed;
  } finally {
    console.warn = warn;
  }
};

/**
 * Ends a client's calls and closes its connection, which all clients for one address share. The library's own `dispose`
 * ends the calls but keeps the connection for half an hour, and there is no public way to close it.
 */
export const disposeClient = async (client: KurrentDBClient): Promise<void> => {
  await client.dispose().catch(() => undefined);
  internalsOf(client)
    .getChannel()
    .then(
      (channel) => channel.close(),
      () => undefined,
    );
};

/** Returns the gRPC client for the node that a client has discovered. @throws the client's errors if it finds none */
export const openGrpcClient = (client: KurrentDBClient): Promise<GrpcClient> =>
  internalsOf(client).getGRPCClient(streams.StreamsClient, 'call');

/** Channels already reported to the client as lost. */
const lostChannels = new WeakSet<object>();

/**
 * Reports a failed call to a client. If the connection is the cause, the client reconnects, if necessary to another
 * node. Each connection is reported once: after two reports in quick succession, the client may forget the next
 * connection without closing it.
 */
export const reportFailure = (client: KurrentDBClient, grpc: GrpcClient, error: Error): void => {
  const internals = internalsOf(client);
  const channel = grpc.getChannel();
  if (lostChannels.has(channel) || !internals.shouldReconnect(error)[0]) return;
  lostChannels.add(channel);
  internals.handleError(grpc, error).catch(() => undefined);
};

/** Creates a client on first use, and a new one after the current one has been retired. */
export class RenewableClient {
  private current: KurrentDBClient | undefined;

  constructor(readonly connectionString: string) {}

  getClient(): KurrentDBClient {
    return (this.current ??= createClient(this.connectionString));
  }

  /** Retires a broken client. Its pending calls fail. */
  replaceClient(broken: KurrentDBClient): void {
    if (this.current !== broken) return; // another call has already replaced it
    this.current = undefined;
    void disposeClient(broken);
  }

  async close(): Promise<void> {
    if (this.current) await disposeClient(this.current);
  }
}
