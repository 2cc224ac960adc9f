import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Cohort } from '../../runtime/event-loop-batch.js';

const ARRIVED_AT = Symbol('arrived at');

interface Arrived extends IncomingMessage {
  [ARRIVED_AT]?: number;
}

/** When a request's head had arrived: `performance.now()`, ms. */
export const arrivedAt = (request: IncomingMessage): number => (request as Arrived)[ARRIVED_AT] ?? performance.now();

/**
 * The requests whose heads have arrived in this turn of the event loop: they are handed to the framework together, at its
 * end. With the same for bodies that are read (raw-body.ts) a post costs a fifth to a third less CPU time under load
 * (docs/decisions.md).
 */
export class RequestCohort {
  private handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  private readonly cohort = new Cohort<ServerResponse>((response) => this.handle(response.req, response));

  /**
   * Takes the place of a server's own listener, and hands over to it. (The framework would take a server of ours as well,
   * but have that listen on one address of `localhost` alone.)
   */
  standBefore(server: Server): void {
    const listeners = server.listeners('request') as (typeof this.handle)[];
    if (listeners.length !== 1) throw new Error(`a server with ${listeners.length} listeners for its requests`);
    this.handle = listeners[0]!.bind(server);
    server.removeAllListeners('request');
    server.on('request', (request: Arrived, response) => {
      request[ARRIVED_AT] = performance.now();
      this.cohort.add(response);
    });
  }

  /** Does not wait for the turn's end: what a connection waits for is known afterwards. */
  handOver(): void {
    this.cohort.now();
  }
}
