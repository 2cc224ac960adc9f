import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { EventLoopBatch } from '../../runtime/event-loop-batch.js';

const ARRIVED_AT = Symbol('arrived at');

interface Arrived extends IncomingMessage {
  [ARRIVED_AT]?: number;
}

/** Returns when a request's headers arrived, as a `performance.now()` timestamp in ms. */
export const readArrivalTime = (request: IncomingMessage): number =>
  (request as Arrived)[ARRIVED_AT] ?? performance.now();

/**
 * Collects the requests whose headers arrive in one turn of the event loop and passes them to the framework together at
 * the end of that turn. Combined with body batching (body-reader.ts), this saves 20 to 33 % of the CPU time of a post
 * under load (ADR-74).
 */
export class RequestBatch {
  private handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  private readonly batch = new EventLoopBatch<ServerResponse>((response) => this.handle(response.req, response));

  /**
   * Wraps a server's request listener and forwards requests to it in batches. (The framework would accept a server from
   * a factory instead, but would then listen on only one address of `localhost`.)
   */
  attachTo(server: Server): void {
    const listeners = server.listeners('request') as (typeof this.handle)[];
    if (listeners.length !== 1)
      throw new Error(`cannot batch requests: the server has ${listeners.length} request listeners instead of 1`);
    this.handle = listeners[0]!.bind(server);
    server.removeAllListeners('request');
    server.on('request', (request: Arrived, response) => {
      request[ARRIVED_AT] = performance.now();
      this.batch.add(response);
    });
  }

  /** Forwards the collected requests immediately, so that each connection's pending reply is known. */
  flush(): void {
    this.batch.flush();
  }
}
