import { until } from '../../e2e/until.js';
import { gif, png } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import { type TestEndpoint, TestGateway } from './gateway.js';

let gateway: TestGateway;
let host: TestHost;
let owner: string;
let project: string;
let endpoint: TestEndpoint;
beforeAll(async () => {
  gateway = await TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  host = await TestHost.start();
  owner = await gateway.createOwner();
  project = await gateway.createProject(owner, [await gateway.createChannel(owner)]);
  endpoint = await gateway.createEndpoint(owner, [project]);
  await endpoint.post('temp-pause', { target_minutes: 1440 }); // so that no publication fetches the media
});
afterAll(async () => {
  await host.stop();
  await gateway.stop();
});

const photo = (url: string): object => ({ text: 'Ahoy', media: [{ type: 'photo', url }] });

describe('media at acceptance (D-24)', () => {
  it('of the declared type are accepted', async () => {
    expect((await endpoint.post('', photo(host.serve('/right.png', png(10, 10))))).status).toBe(200);
  });

  it.each([
    ['of another type than declared', () => host.serve('/wrong.gif', gif())],
    ['that do not exist', () => `${host.origin}/nothing`],
    ['that redirect', () => host.on('/moved', (_, answer) => answer.writeHead(302, { location: '/right.png' }).end())],
    ['over 25 megapixels', () => host.serve('/large.png', png(5_001, 5_000))],
  ])('%s are rejected with 400, and no post is created', async (_, served) => {
    const fresh = await gateway.createEndpoint(owner, [project]);
    const answer = await fresh.post('', photo(served()));
    expect(answer).toMatchObject({ status: 400, body: { ok: false, details: [{ path: 'media[0].url' }] } });
    const { id } = (await fresh.post('', { text: 'the only one' })).body;
    const listed = await until('a post is listed', async () => {
      const { items } = await gateway.manage('GET', `/posts?endpoint_id=${fresh.id}`);
      return items.length > 0 && items;
    });
    expect(listed).toMatchObject([{ id }]);
  });

  it('of a host that is unavailable, or does not answer, are accepted', async () => {
    const down = host.on('/down.png', (_, answer) => answer.writeHead(503).end());
    const silent = host.on('/silent.png', () => undefined);
    const answers = await Promise.all([down, silent].map((url) => endpoint.post('', photo(url))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  describe('with problems', () => {
    const moved = (): string =>
      host.on('/moved', (_, answer) => answer.writeHead(302, { location: '/right.png' }).end());
    const routes = [
      ['publishing', (body: object) => endpoint.post('', body)],
      ['the sandbox', (body: object) => endpoint.sandbox(body)],
    ] as const;

    it.each(routes)('are reported before wrong targets, by %s (D-7)', async (_, send) => {
      const targets = [{ id: 'tgt_none' }];
      expect(await send({ ...photo(moved()), targets })).toMatchObject({
        status: 400,
        body: { ok: false, details: [{ path: 'media[0].url', code: 'media_redirect' }] },
      });
      const right = { ...photo(host.serve('/right.png', png(10, 10))), targets };
      expect(await send(right)).toMatchObject({ status: 422, body: { code: 'invalid_targets' } });
    });

    it.each(routes)('are reported together with the other problems of the content, by %s (D-6)', async (_, send) => {
      const media = [
        { type: 'document', url: host.serve('/right.png', png(10, 10)) },
        { type: 'photo', url: host.serve('/right.png', png(10, 10)) },
        { type: 'photo', url: moved() },
        { type: 'photo', url: host.serve('/wrong.gif', gif()) },
      ];
      const { status, body } = await send({ text: 'Ahoy', entities: [{ type: 'bold', offset: 3, length: 9 }], media });
      expect(status).toBe(400);
      const paths = ['entities[0]', 'media[0].type', 'media[2].url', 'media[3].url'];
      expect(body.details.map(({ path }: { path: string }) => path)).toEqual(
        paths.map((path) => expect.stringContaining(path)),
      );
      expect(body.errors[2]).toMatch(/^media\[2\]\.url /);
    });
  });

  it('are not fetched for a replay, nor for a post that violates the schema', async () => {
    const url = host.serve('/once.png', png(10, 10));
    const key = { 'idempotency-key': 'with media' };
    expect((await endpoint.post('', photo(url), key)).status).toBe(200);
    const fetched = host.requests.length;
    expect((await endpoint.post('', photo(url), key)).status).toBe(202);
    expect((await endpoint.post('', { ...photo(url), trace_id: 5 })).status).toBe(422);
    expect(host.requests.slice(fetched).filter(({ path }) => path === '/once.png')).toEqual([]);
  });
});
