import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A network that gives out an address for an upload and throws away what comes, counting it and watching our memory.
 * `breakAfter`: the connection breaks after so many bytes.
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
    /** Bytes of the upload's body, and as many as its length said. */
    received: () => received,
    promised: () => promised,
    /** How many bytes of memory the process took at most while it came in. */
    grown: () => highest - before,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};
