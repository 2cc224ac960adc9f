import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, credentials } from '@grpc/grpc-js';
import '../../../src/event-store/kurrentdb/released-connections.js';

/** Longest time in ms until gRPC-js tries a refused connection again. */
const RETRY_MS = 1_600;

it('a channel that is closed while its server refuses connections does not connect later', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));

  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const identity = (value: Buffer): Buffer => value;
  const failed = new Promise((resolve) =>
    client.makeUnaryRequest('/a.Service/Call', identity, identity, Buffer.alloc(0), resolve),
  );
  expect(await failed).toMatchObject({ code: 14 });
  client.close();

  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  await sleep(RETRY_MS);
  await new Promise((resolve) => server.close(resolve));
  expect(connections).toBe(0);
});
