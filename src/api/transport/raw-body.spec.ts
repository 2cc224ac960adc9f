import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { receiveBody } from './raw-body.js';

describe('receiveBody', () => {
  it('answers body_incomplete at once if the client has already disconnected', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{"te');
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    server.close();
    request.on('error', () => undefined);
    client.resetAndDestroy();
    await new Promise((resolve) => request.on('close', resolve));

    const received = await receiveBody({ raw: request } as FastifyRequest);

    expect(received).toMatchObject({ ok: false, problem: { status: 400, code: 'body_incomplete' } });
  });
});
