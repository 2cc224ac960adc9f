import { TestGateway } from '../public/gateway.js';
import { headersOf } from './assistant-clients.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway.stop());

it('an id of a JSON-RPC request that is longer than an id needs to be is refused, and not repeated', async () => {
  const owner = await gateway.createOwner();
  const project = await gateway.createProject(owner, [await gateway.createChannel(owner, 'News')]);
  const { slug, token } = await gateway.createEndpoint(owner, [project]);
  const send = async (message: object) => {
    const answer = await fetch(`${gateway.url}/sse/${slug}`, {
      method: 'POST',
      headers: {
        ...headersOf(token),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const ping = { jsonrpc: '2.0', method: 'ping' };
  for (const message of [{ ...ping, id: 'x'.repeat(257) }, [ping, { ...ping, id: 'x'.repeat(5_000) }]]) {
    const { status, text } = await send(message);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ id: null, error: { data: { code: 'bad_message' } } });
    expect(text).not.toContain('xxx');
  }
  expect((await send({ ...ping, id: 'x'.repeat(256) })).status).toBe(200);
});
