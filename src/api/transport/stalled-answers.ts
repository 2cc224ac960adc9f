import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Interval of Node's checks for progress, in ms. A stalled answer ends at the second check: after 20 to 40 s. */
const STALLED_MS = 20_000;

/**
 * Maximum number of connections that a process keeps open, at about 20 KB each. Further connections are closed
 * immediately, so no client can use up the process's memory and file descriptors.
 */
export const MAX_CONNECTIONS = 8_000;

/**
 * Closes a connection when its client has stopped reading, which would keep the rest of the answer in memory. Clients
 * that read slowly or wait for their answer keep their connections.
 */
export const endStalledAnswers = (server: Server, stalledMs = STALLED_MS): void => {
  server.setTimeout(stalledMs);
  server.on('request', (_, response: ServerResponse) =>
    response.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
    }),
  );
};
