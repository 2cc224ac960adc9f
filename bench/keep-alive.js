/** One keep-alive connection for a bench, as cheap as can be: whole requests in, status and latency out. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** @returns {Promise<{ ask(request: string): Promise<{ status: number, ms: number }>, close(): void }>} */
export const openConnection = async (port) => {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let answered = null;
  let failed = null;
  let pending = '';
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: *(\d+)/i.exec(pending.slice(0, end))?.[1] ?? 0);
    if (pending.length < end + 4 + length) return;
    const status = Number(pending.slice(9, 12));
    pending = '';
    answered(status);
  });
  socket.on('error', (error) => failed?.(error));
  socket.on('close', () => failed?.(new Error('the server hung up')));
  await once(socket, 'connect');
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const sentAt = performance.now();
        answered = (status) => resolve({ status, ms: performance.now() - sentAt });
        failed = reject;
        socket.write(request);
      }),
    close: () => {
      failed = null;
      socket.destroy();
    },
  };
};

/** A POST with these headers, ready to be written. */
export const postRequest = (path, headers, body) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
