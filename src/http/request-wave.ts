import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Wave } from '../kernel/wave.js';

const ARRIVED_AT = Symbol('arrived at');

interface Arrived extends IncomingMessage {
  [ARRIVED_AT]?: number;
}

/** When a request's head had arrived: `performance.now()`, ms. */
export const arrivedAt = (request: IncomingMessage): number => (request as Arrived)[ARRIVED_AT] ?? performance.now();

/**
 * The requests whose heads have arrived in this turn of the event loop: they are handed to the framework together, at its
 * end. Under load a post costs two thirds of the CPU time that way (docs/decisions.md).
 */
export class RequestWave {
  private handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  private readonly wave = new Wave<ServerResponse>((response) => this.handle(response.req, response));

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
      this.wave.add(response);
    });
  }

  /** Does not wait for the turn's end: what a connection waits for is known afterwards. */
  handOver(): void {
    this.wave.now();
  }
}
