// More than 20 s: clients stop reading for longer than the time limit, which is long so that a busy machine holds it.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endStalledAnswers } from '../../../src/api/transport/answers.js';
import { until } from '../../e2e/until.js';

/** Long enough for even a busy machine to read something in the meantime. */
const STALLED_MS = 7_500;
/** More than the buffers of both sides hold. */
const SIZE = 64_000_000;

describe('an answer', () => {
  let server: Server;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    server = createServer((_, response) => response.end(Buffer.alloc(SIZE)));
    endStalledAnswers(server, STALLED_MS);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
    server.closeAllConnections();
  });

  const request = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    sockets.push(socket);
    return socket;
  };
  const countConnections = (): Promise<number> =>
    new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

  it('is given up when its client does not read it', async () => {
    for (let n = 0; n < 5; n++) request().pause();
    await until('all clients are connected', async () => (await countConnections()) === 5);
    await until('all connections are ended', async () => (await countConnections()) === 0);
  });

  it('arrives as a whole at a client that reads slowly', async () => {
    const socket = request();
    let received = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of socket) {
        received += (chunk as Buffer).length;
        if (received >= SIZE) return;
        // Twice the limit in all, in pauses far below it.
        await sleep(((chunk as Buffer).length / SIZE) * 2 * STALLED_MS);
      }
    };
    await read();
    expect(received).toBeGreaterThanOrEqual(SIZE);
  });

  it('may take longer than a client may stop reading', async () => {
    server.removeAllListeners('request');
    server.on('request', (_, response) => setTimeout(() => response.end('done'), STALLED_MS * 1.5));
    endStalledAnswers(server, STALLED_MS);
    const [chunk] = (await once(request(), 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/done$/);
  });
});
