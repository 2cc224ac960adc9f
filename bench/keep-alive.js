/** Minimal HTTP client for benches: one keep-alive connection that sends complete requests and returns status and latency. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** @returns {Promise<{ sendRequest(request: string): Promise<{ status: number, ms: number }>, close(): void }>} */
export const openConnection = async (port) => {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let onStatus = null;
  let onError = null;
  let pending = '';
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: *(\d+)/i.exec(pending.slice(0, end))?.[1] ?? 0);
    if (pending.length < end + 4 + length) return;
    const status = Number(pending.slice(9, 12));
    pending = '';
    onStatus(status);
  });
  socket.on('error', (error) => onError?.(error));
  socket.on('close', () => onError?.(new Error('the server closed the connection')));
  await once(socket, 'connect');
  return {
    sendRequest: (request) =>
      new Promise((resolve, reject) => {
        const sentAt = performance.now();
        onStatus = (status) => resolve({ status, ms: performance.now() - sentAt });
        onError = reject;
        socket.write(request);
      }),
    close: () => {
      onError = null;
      socket.destroy();
    },
  };
};

/** Returns the text of a POST request with these headers. */
export const formatPostRequest = (path, headers, body) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
