import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a network that returns an upload URL, discards the upload, counts its bytes and measures the memory of this
 * process. `breakAfter`: number of bytes after which the connection breaks.
 */
export const startSink = async ({ breakAfter = Infinity }: { readonly breakAfter?: number } = {}) => {
  let received = 0;
  let promised = 0;
  let highest = 0;
  globalThis.gc?.();
  const memory = (): number => process.memoryUsage().rss;
  const before = memory();
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/uploads')) {
      response.end(JSON.stringify({ url: `http://${request.headers.host}/upload`, token: 'early' }));
      return;
    }
    promised = Number(request.headers['content-length'] ?? 0);
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      highest = Math.max(highest, memory());
      if (received > breakAfter) request.socket.destroy();
    });
    request.on('end', () => {
      const isTelegram = request.url?.startsWith('/bot') === true;
      response.end(isTelegram ? '{"ok":true,"result":{"message_id":1,"chat":{"id":1}}}' : '<retval>1</retval>');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Received bytes of the upload's body, and the length in its header. */
    received: () => received,
    promised: () => promised,
    /** Largest growth of the process's memory during the upload, in bytes. */
    grown: () => highest - before,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
