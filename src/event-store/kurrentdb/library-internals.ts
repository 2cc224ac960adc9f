/**
 * Everything that the adapter uses from gRPC-js and from the client beyond their public interfaces (ADR-121, ADR-127).
 * No other file may import from inside these packages. Their versions are pinned, and library-internals.spec.ts fails
 * if an update changes these internals.
 */
import type { CallOptions, Client as GrpcClient, Metadata } from '@grpc/grpc-js';
import { Subchannel } from '@grpc/grpc-js/build/src/subchannel.js';
import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import type streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';

export { parseConnectionString } from '@kurrent/kurrentdb-client/dist/Client/parseConnectionString.js';
export { unpackToCommandError } from '@kurrent/kurrentdb-client/dist/streams/appendToStream/unpackError.js';
export { readStreamMetadata } from '@kurrent/kurrentdb-client/dist/streams/utils/streamMetadata.js';
export { convertToCommandError } from '@kurrent/kurrentdb-client/dist/utils/CommandError.js';
export { isClientCancellationError } from '@kurrent/kurrentdb-client/dist/utils/isClientCancellationError.js';

interface ClientInternals {
  getChannel(): Promise<{ close(): void }>;
  getGRPCClient(grpcClient: typeof streams.StreamsClient, name: string): Promise<GrpcClient>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
  shouldReconnect(error: Error): [boolean, ...unknown[]];
  handleError(grpc: GrpcClient, error: Error): Promise<void>;
}

/** Returns the internals that a client's own calls use. */
export const internalsOf = (client: KurrentDBClient): ClientInternals => client as unknown as ClientInternals;

/**
 * Keeps gRPC-js from reconnecting for a closed channel (ADR-127). Closing a channel releases its connection, but a
 * connection that is waiting for its next attempt still makes the attempt and stays open, unused. The client closes its
 * channel after each failed call, so an outage would leave one connection per refused call (seen with 1.14.7).
 */
const unref: (this: Subchannel) => void = Reflect.get(Subchannel.prototype, 'unref');
Subchannel.prototype.unref = function (this: Subchannel): void {
  unref.call(this);
  const released = this as unknown as { refcount: number; continueConnecting: boolean };
  // On the next tick, because a request to connect may still be queued.
  if (released.refcount === 0) process.nextTick(() => (released.continueConnecting = false));
};
