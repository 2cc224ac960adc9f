import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Interval at which Node checks whether a connection has made progress, in ms. An answer is abandoned at the second
 * check without progress: after 20 to 40 s.
 */
const STALLED_MS = 20_000;

/**
 * Maximum number of connections that a process keeps open. Each costs about 20 KB. Further connections are closed
 * immediately, so that no client can use up the process's memory and file descriptors.
 */
export const MAX_CONNECTIONS = 8_000;

/**
 * Closes connections whose client has stopped reading its answer; otherwise the client could keep the rest of the
 * answer in memory indefinitely. A client that reads slowly keeps its connection, and so does a client that still waits
 * for its answer.
 * @param stalledMs ms without any progress
 */
export const endStalledAnswers = (server: Server, stalledMs = STALLED_MS): void => {
  server.setTimeout(stalledMs);
  server.on('request', (_, response: ServerResponse) =>
    response.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
    }),
  );
};
