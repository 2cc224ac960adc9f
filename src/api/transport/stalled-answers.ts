import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Time after which Node looks whether a connection has made progress, in ms. An answer is given up at the second look that finds
 * none: after 20 to 40 s.
 */
const STALLED_MS = 20_000;

/**
 * Most connections that a process keeps open. Each costs about 20 KB. Further ones are closed at once, so that no client can use up
 * the process's memory and file descriptors.
 */
export const MAX_CONNECTIONS = 8_000;

/**
 * Closes connections whose client has stopped reading its answer; otherwise the rest of the answer would stay in memory for as long
 * as the client likes. A client that reads slowly keeps its connection, and so does one that still waits for its answer.
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
