import { Subchannel } from '@grpc/grpc-js/build/src/subchannel.js';

/**
 * Keeps gRPC-js from connecting for a channel that was closed (ADR-201). Closing one releases its connection, but if that waits for its
 * next attempt, the attempt is still made, and an unused connection stays open. The client closes its channel after each call
 * that failed, so an outage would leave as many connections as calls that were refused (seen with 1.14.7).
 */
const unref: (this: Subchannel) => void = Reflect.get(Subchannel.prototype, 'unref');
Subchannel.prototype.unref = function (this: Subchannel): void {
  unref.call(this);
  const released = this as unknown as { refcount: number; continueConnecting: boolean };
  // As for a connection that is in use or under way: a request to connect may still be in the queue.
  if (released.refcount === 0) process.nextTick(() => (released.continueConnecting = false));
};
