import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { boundAnswers } from '../../../src/api/transport/body-reader.js';
import { recordClientAddresses } from '../../../src/api/transport/headers.js';
import { MemoryBudget } from '../../../src/runtime/memory-budget.js';

const LARGE = 1_000_000;

describe('a client that leaves before its large answer is written', () => {
  const budget = new MemoryBudget({ bytes: 10 * LARGE, bytesPerHolder: 10 * LARGE, waiting: 1, waitMs: 1_000 });
  let app: FastifyInstance;
  /** Settles once the answer has passed all hooks. */
  let answered: Promise<unknown>;
  beforeAll(async () => {
    app = fastify();
    recordClientAddresses(app);
    boundAnswers(app, budget);
    answered = new Promise((resolve) => {
      app.addHook('onSend', async (_request, _reply, payload) => {
        resolve(payload);
        return payload;
      });
    });
    app.get('/', async (_request, reply) => {
      await once(reply.raw, 'close');
      return 'x'.repeat(LARGE);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => app.close());

  it('leaves no memory reserved', async () => {
    const received = once(app.server, 'request');
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await received;
    socket.destroy();
    await answered;
    expect(budget.usedBytes).toBe(0);
  });
});
