import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How often Node checks for progress, in ms. The second check ends a stalled response, i.e. after 20 to 40 s. */
const STALLED_MS = 20_000;

/**
 * Maximum number of connections that a process keeps open, at about 20 KB each. Further connections are closed
 * immediately, so no client can use up the process's memory and file descriptors.
 */
export const MAX_CONNECTIONS = 8_000;

/**
 * Closes the connections of clients that have stopped reading, because the rest of the response would stay in memory.
 * Clients that read slowly or wait for their response keep their connections.
 */
export const endStalledAnswers = (server: Server, stalledMs = STALLED_MS): void => {
  server.setTimeout(stalledMs);
  server.on('request', (_, response: ServerResponse) =>
    response.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
    }),
  );
};
