import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { BodyReader } from './body-reader.js';
import { UnauthenticatedBodies } from './unauthenticated-bodies.js';

const KIB = 1_024;
/** Size of each body; it never arrives as a whole. */
const ANNOUNCED = 100 * KIB;

let server: Server;
const clients: Socket[] = [];
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

/** Sends a request's head; returns it as the server sees it, and its client. */
const open = async (): Promise<{ readonly request: FastifyRequest; readonly client: Socket }> => {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client.on('error', () => undefined));
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${ANNOUNCED}\r\n\r\n`);
  const [raw] = (await once(server, 'request')) as [IncomingMessage];
  raw.on('error', () => undefined);
  return { request: { raw } as FastifyRequest, client };
};

/** Sends a part of a body, and waits until the server has read it. */
const send = async (request: FastifyRequest, client: Socket, bytes: number): Promise<void> => {
  const before = request.receivedBytes ?? 0;
  client.write(Buffer.alloc(bytes, 'a'));
  while ((request.receivedBytes ?? 0) < before + bytes) await new Promise((resolve) => setImmediate(resolve));
};

describe('BodyReader', () => {
  it('answers body_incomplete at once if the client has already disconnected', async () => {
    const { request, client } = await open();
    client.resetAndDestroy();
    await new Promise((resolve) => request.raw.on('close', resolve));

    const received = await new BodyReader(request, null).received;

    expect(received).toMatchObject({ ok: false, problem: { status: 400, code: 'body_incomplete' } });
  });

  it('holds nothing of a body that is dropped, and passes it on', async () => {
    const bodies = new UnauthenticatedBodies();
    const { request, client } = await open();
    const reader = new BodyReader(request, bodies);
    reader.wait();
    await send(request, client, 40 * KIB);
    expect([bodies.heldBytes, bodies.reading]).toEqual([40 * KIB, 1]);

    let passed = 0;
    reader.passChunks((chunk) => (passed += chunk.length));
    reader.drop();
    await send(request, client, 40 * KIB);

    expect([bodies.heldBytes, bodies.reading, passed]).toEqual([0, 1, 80 * KIB]);
    reader.finish();
    expect(bodies.reading).toBe(0);
  });

  it('no longer counts a body whose request is authenticated, and keeps it', async () => {
    const bodies = new UnauthenticatedBodies();
    const { request, client } = await open();
    const reader = new BodyReader(request, bodies);
    reader.wait();
    await send(request, client, 60 * KIB);
    reader.keep();
    expect([bodies.heldBytes, bodies.reading]).toEqual([0, 0]);
    await send(request, client, 40 * KIB);
    expect(await reader.received).toEqual({ ok: true, bytes: Buffer.alloc(ANNOUNCED, 'a') });
  });

  it('releases the bytes of a client that disconnects', async () => {
    const bodies = new UnauthenticatedBodies();
    const { request, client } = await open();
    const reader = new BodyReader(request, bodies);
    reader.wait();
    await send(request, client, 40 * KIB);
    client.destroy();
    expect(await reader.received).toMatchObject({ ok: false, problem: { code: 'body_incomplete' } });
    expect([bodies.heldBytes, bodies.reading]).toEqual([0, 0]);
  });

  it('ends with 503 where all unauthenticated bodies together hold too much, but not for an authenticated one', async () => {
    const bodies = new UnauthenticatedBodies(100 * KIB);
    const opened = [await open(), await open()] as const;
    const [first, second] = opened.map(({ request }) => new BodyReader(request, bodies));
    for (const reader of [first!, second!]) reader.wait();
    await send(opened[0].request, opened[0].client, 90 * KIB);
    await send(opened[1].request, opened[1].client, 20 * KIB);

    expect(await second!.received).toMatchObject({
      ok: false,
      problem: { status: 503, code: 'too_many_unauthenticated', headers: { 'retry-after': '1' } },
    });
    expect(opened[1].request.raw.isPaused()).toBe(true); // its connection is closed with the answer
    expect(bodies.heldBytes).toBe(90 * KIB);

    await send(opened[0].request, opened[0].client, 10 * KIB);
    const third = await open();
    const authenticated = new BodyReader(third.request, bodies);
    await send(third.request, third.client, 50 * KIB);
    expect(bodies.isFull).toBe(true);
    authenticated.keep();
    await send(third.request, third.client, 50 * KIB);
    expect(await authenticated.received).toMatchObject({ ok: true });
  });

  it('refuses to read more unauthenticated bodies than allowed at the same time', async () => {
    const bodies = new UnauthenticatedBodies(undefined, 1);
    const readers: BodyReader[] = [];
    for (let i = 0; i < 2; i++) readers.push(new BodyReader((await open()).request, bodies));
    readers[0]!.wait();
    expect(() => readers[1]!.wait()).toThrow('receiving too many requests');
    readers[0]!.finish();
    expect(bodies.reading).toBe(0);
  });
});
