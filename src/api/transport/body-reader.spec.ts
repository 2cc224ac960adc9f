import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { BodyReader, RequestMemory, UnauthenticatedBodies } from './body-reader.js';

const KIB = 1_024;
/** Size of each body. */
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

/** Sends a request's head; returns the server's view of it, and the client. @param bytes size of its body; null: chunked */
const open = async (
  bytes: number | null = ANNOUNCED,
): Promise<{ readonly request: FastifyRequest; readonly client: Socket }> => {
  const length = bytes === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client.on('error', () => undefined));
  client.write(`POST / HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`);
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

    const received = await new BodyReader(request, new RequestMemory(), null).received;

    expect(received).toMatchObject({ ok: false, problem: { status: 400, code: 'body_incomplete' } });
  });

  it('holds nothing of a body that is dropped, and passes it on', async () => {
    const bodies = new UnauthenticatedBodies();
    const { request, client } = await open();
    const reader = new BodyReader(request, new RequestMemory(), bodies);
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
    const reader = new BodyReader(request, new RequestMemory(), bodies);
    reader.wait();
    await send(request, client, 60 * KIB);
    reader.keep('own_1');
    expect([bodies.heldBytes, bodies.reading]).toEqual([0, 0]);
    await send(request, client, 40 * KIB);
    expect(await reader.received).toEqual({ ok: true, bytes: Buffer.alloc(ANNOUNCED, 'a') });
  });

  it('releases the bytes of a client that disconnects', async () => {
    const bodies = new UnauthenticatedBodies();
    const { request, client } = await open();
    const reader = new BodyReader(request, new RequestMemory(), bodies);
    reader.wait();
    await send(request, client, 40 * KIB);
    client.destroy();
    expect(await reader.received).toMatchObject({ ok: false, problem: { code: 'body_incomplete' } });
    expect([bodies.heldBytes, bodies.reading]).toEqual([0, 0]);
  });

  it('ends with 503 where all unauthenticated bodies together hold too much, but not for an authenticated one', async () => {
    const bodies = new UnauthenticatedBodies(100 * KIB);
    const opened = [await open(), await open()] as const;
    const [first, second] = opened.map(({ request }) => new BodyReader(request, new RequestMemory(), bodies));
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
    const authenticated = new BodyReader(third.request, new RequestMemory(), bodies);
    await send(third.request, third.client, 50 * KIB);
    expect(bodies.isFull).toBe(true);
    authenticated.keep('own_1');
    await send(third.request, third.client, 50 * KIB);
    expect(await authenticated.received).toMatchObject({ ok: true });
  });

  it('refuses to read more unauthenticated bodies than allowed at the same time', async () => {
    const bodies = new UnauthenticatedBodies(undefined, 1);
    const readers: BodyReader[] = [];
    for (let i = 0; i < 2; i++) readers.push(new BodyReader((await open()).request, new RequestMemory(), bodies));
    readers[0]!.wait();
    expect(() => readers[1]!.wait()).toThrow('receiving too many requests');
    readers[0]!.finish();
    expect(bodies.reading).toBe(0);
  });

  describe('of a large body of an authenticated request (ADR-135)', () => {
    const LARGEST = 5 * 1_024 * KIB;
    const bounds = { bytes: 150 * KIB, bytesPerHolder: 150 * KIB, waiting: 10, waitMs: 60_000 };
    const openMemory = (more: object = {}) =>
      new RequestMemory({
        bodies: { ...bounds, ...more },
        work: { ...bounds, bytes: 10 * LARGEST, bytesPerHolder: 10 * LARGEST, ...more },
      });
    const start = async (memory: RequestMemory, holder: string) => {
      const { request, client } = await open();
      const reader = new BodyReader(request, memory, null);
      reader.keep(holder);
      return { request, client, reader };
    };

    it('reads it when the earlier ones are answered, and gives it to its handler when there is memory for that', async () => {
      const memory = openMemory();
      const first = await start(memory, 'own_1');
      const second = await start(memory, 'own_2');
      await send(first.request, first.client, ANNOUNCED);
      expect(await first.reader.receive()).toMatchObject({ ok: true });
      expect([memory.bodies.usedBytes, memory.bodies.waiting]).toEqual([ANNOUNCED, 1]);
      expect(memory.work.usedBytes).toBe(6 * ANNOUNCED);
      expect(second.request.raw.isPaused()).toBe(true);

      const sent = send(second.request, second.client, ANNOUNCED);
      first.reader.finish();
      expect([memory.bodies.usedBytes, memory.work.usedBytes]).toEqual([ANNOUNCED, 0]);
      await sent;
      expect(await second.reader.receive()).toMatchObject({ ok: true });
      second.reader.finish();
      expect([memory.bodies.usedBytes, memory.work.usedBytes]).toEqual([0, 0]);
    });

    it('ends with 503 where there is none in time', async () => {
      const memory = openMemory({ waitMs: 1 });
      const first = await start(memory, 'own_1');
      const second = await start(memory, 'own_2');
      await expect(second.reader.receive()).rejects.toMatchObject({
        status: 503,
        code: 'too_many_large_requests',
        headers: { 'retry-after': '5' },
      });
      expect(second.request.raw.isPaused()).toBe(true); // its connection is closed with the answer

      memory.work.reserve('own_3', 10 * LARGEST);
      await send(first.request, first.client, ANNOUNCED);
      await expect(first.reader.receive()).rejects.toMatchObject({ code: 'too_many_large_requests' });
      for (const { reader } of [first, second]) reader.finish();
      expect([memory.bodies.usedBytes, memory.bodies.waiting, memory.work.waiting]).toEqual([0, 0, 0]);
    });

    it('never delays a small one', async () => {
      const memory = openMemory();
      memory.bodies.reserve('own_1', LARGEST);
      memory.work.reserve('own_1', 10 * LARGEST);
      const { request, client } = await open(60 * KIB);
      const reader = new BodyReader(request, memory, null);
      reader.keep('own_1');
      await send(request, client, 60 * KIB);
      expect(await reader.receive()).toMatchObject({ ok: true });
    });

    it('counts one in chunks as the largest', async () => {
      const memory = openMemory({ bytes: LARGEST, bytesPerHolder: LARGEST });
      const { request, client } = await open(null);
      const reader = new BodyReader(request, memory, null);
      reader.keep('own_1');
      const chunk = `${(40 * KIB).toString(16)}\r\n${'a'.repeat(40 * KIB)}\r\n`;
      client.write(chunk);
      while ((request.receivedBytes ?? 0) < 40 * KIB) await new Promise((resolve) => setImmediate(resolve));
      expect(memory.bodies.usedBytes).toBe(0);
      client.write(`${chunk}0\r\n\r\n`);
      expect(await reader.receive()).toMatchObject({ ok: true });
      expect(memory.bodies.usedBytes).toBe(LARGEST);
      reader.finish();
      expect(memory.bodies.usedBytes).toBe(0);
    });

    it('does not wait for one that was read before its request was authenticated, up to a limit', async () => {
      const memory = openMemory();
      const readers: BodyReader[] = [];
      for (let i = 0; i < 4; i++) {
        const { request, client } = await open();
        const reader = new BodyReader(request, memory, new UnauthenticatedBodies());
        await send(request, client, ANNOUNCED);
        await reader.received;
        reader.keep('own_1');
        readers.push(reader);
      }
      for (const reader of readers.slice(0, 3)) expect(await reader.receive()).toMatchObject({ ok: true });
      await expect(readers[3]!.receive()).rejects.toMatchObject({ code: 'too_many_large_requests' });
      expect(memory.bodies.usedBytes).toBe(3 * ANNOUNCED);
    });

    it('gives the memory of a client that disconnects while it waits to the next one', async () => {
      const memory = openMemory();
      const first = await start(memory, 'own_1');
      const second = await start(memory, 'own_2');
      second.client.destroy();
      expect(await second.reader.receive()).toMatchObject({ ok: false, problem: { code: 'body_incomplete' } });
      second.reader.finish();
      expect([memory.bodies.usedBytes, memory.bodies.waiting]).toEqual([ANNOUNCED, 0]);
      first.reader.finish();
    });
  });
});
