import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI_MESSAGES, DOCTOR_MESSAGES } from '../../src/cli/messages.js';
import { breakOff, json, runCommand, runWith } from './gateway-double.js';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'crosspost-cli-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const NDJSON = 'application/x-ndjson';
const textOf = (body: string, type = 'text/plain') => ({ status: 200, body, headers: { 'content-type': type } });

describe('the command line', () => {
  it.each([
    [{ id: 'own_1', name: 'Grüße "x"', rate: 1.5, none: null, list: [{ a: '\u2028' }] }],
    [{ id: 'own_1', big: 9007199254740991, empty: {}, "it's": [[], ''] }],
  ])('prints an answer as it is: %j', async (owner) => {
    const { code, output, received } = await runWith([json(200, owner)], 'owners', 'get', 'own_1/é');
    expect([code, output]).toEqual([0, `${JSON.stringify(owner)}\n`]);
    expect(received[0]).toMatchObject({
      route: 'GET /manage/v1/owners/own_1%2F%C3%A9',
      headers: { authorization: 'Bearer key', 'user-agent': 'crosspost' },
    });
  });

  it('prints texts as they are', async () => {
    const checkpoint = 'post.example.com/history\n7\nabc=\n\n— sig\n';
    const { code, output } = await runWith([textOf(checkpoint)], 'history', 'checkpoint');
    expect([code, output]).toEqual([0, checkpoint]);
  });

  it('lists page by page, up to the limit', async () => {
    const page = (ids: number, next: string | null) =>
      json(200, { items: Array.from({ length: ids }, (_, n) => ({ id: `own_${n}` })), next });
    const { code, output, received } = await runWith(
      [page(200, 'c 1'), page(60, 'c2')],
      ...['owners', 'list', '--limit', '250'],
    );
    expect(code).toBe(0);
    expect(output.trim().split('\n')).toHaveLength(250);
    expect(received.map(({ route }) => new URL(route.split(' ')[1]!, 'http://x').search)).toEqual([
      '?limit=200',
      '?limit=50&cursor=c+1',
    ]);
  });

  it('sends fields and files as bodies, under a key', async () => {
    const create = ['endpoints', 'create', '--name', '42', '--min-interval', '5', '--set', 'a.b=[1]'];
    const { received } = await runWith([json(201, { id: 'ep_1' })], ...create);
    expect(received[0]).toMatchObject({
      route: 'POST /manage/v1/endpoints',
      body: '{"name":"42","min_interval":5,"a":{"b":[1]}}',
      headers: { 'content-type': 'application/json', 'idempotency-key': expect.stringMatching(/.{32}/) as string },
    });
    const file = join(folder, 'post.json');
    await writeFile(file, '{ "text":  "edited", "text": "twice" }');
    const planned = [json(200, { released_at: null }), json(200, { id: 'post_1' })];
    const edited = await runWith(planned, 'edit', 'post_1', '--file', file);
    expect(edited.received[1]).toMatchObject({
      route: 'PUT /manage/v1/posts/post_1/payload',
      body: '{ "text":  "edited", "text": "twice" }',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('edits what is published, at a revision, and shows first what would happen', async () => {
    const route = 'PUT /manage/v1/posts/post_1/content';
    const file = join(folder, 'content.json');
    await writeFile(file, '{"text": "Better"}');
    const released = [json(200, { released_at: '2027-03-01T09:00:00Z' }), json(200, { id: 'post_1', revision: 2 })];
    const edited = await runWith(released, 'edit', 'post_1', '--file', file, '--if-revision', '1');
    expect([edited.code, JSON.parse(edited.output)]).toEqual([0, { id: 'post_1', revision: 2 }]);
    expect(edited.received[1]).toMatchObject({ route, body: '{"text": "Better"}', headers: { 'if-match': '"1"' } });
    const text = await runWith([json(200, { id: 'post_1' })], 'edit', 'post_1', '--text', 'Better', '--dry-run');
    expect(text.received).toMatchObject([{ route: `${route}?dry_run=true`, body: '{"text":"Better"}' }]);
    const none = { code: 2, errors: CLI_MESSAGES.contentOrFile, received: [] };
    expect(await runWith([], 'edit', 'post_1')).toMatchObject(none);
    expect(await runWith([], 'edit', 'post_1', '--text', 'a', '--file', file)).toMatchObject(none);
    const wrong = await runWith([], 'edit', 'post_1', '--text', 'a', '--if-revision', '"1"');
    expect(wrong).toMatchObject({ code: 2, received: [] });
  });

  it('takes a post back on some channels, and waits for the result', async () => {
    const publication = (id: string, state: string, withdrawal: object | null) => ({
      id,
      platform: 'vk',
      target_id: 'tgt_1',
      state,
      withdrawal,
    });
    const until = { waiting_for: { text: 'The network asked for a delay.' }, error: null, ended_at: null };
    const refused = { waiting_for: null, error: { message: 'Delete it there.' }, ended_at: '2027-03-01T09:00:00Z' };
    const open = [publication('pub_1', 'withdrawing', until), publication('pub_2', 'published', null)];
    const ended = [publication('pub_1', 'withdraw_failed', refused), publication('pub_2', 'published', null)];
    const answers = [
      json(200, { id: 'post_1' }),
      json(200, { publications: open }),
      json(200, { publications: ended }),
    ];
    const args = ['--target', 'tgt_1', '--target', 'tgt_2', '--reason', 'A wrong price', '--wait'];
    const { code, output, errors, received } = await runWith(answers, 'withdraw', 'post_1', ...args);
    expect(received.map(({ route, body }) => [route, body])).toEqual([
      ['POST /manage/v1/posts/post_1/withdraw', '{"targets":["tgt_1","tgt_2"],"reason":"A wrong price"}'],
      ...Array.from({ length: 2 }, () => ['GET /manage/v1/posts/post_1', '']),
    ]);
    expect([code, JSON.parse(output)]).toEqual([1, { publications: ended }]);
    expect(errors).toContain('The network asked for a delay.');
    expect(errors).toContain(CLI_MESSAGES.notWithdrawn({ count: 1, id: 'post_1' }));

    const one = await runWith([json(200, { id: 'pub_1' })], 'withdraw', 'pub_1');
    expect(one.received[0]).toMatchObject({ route: 'POST /manage/v1/publications/pub_1/withdraw', body: '{}' });
    const both = await runWith([], 'withdraw', 'pub_1', '--target', 'tgt_1');
    expect(both).toMatchObject({ code: 2, errors: CLI_MESSAGES.targetsOfPublication, received: [] });
  });

  it('shows numbers of a post, of a channel, of all publications, and the highest', async () => {
    const post = { id: 'post_1', totals: { views: 3 }, publications: [] };
    const shown = await runWith([json(200, post)], 'stats', 'post_1');
    expect([shown.code, JSON.parse(shown.output)]).toEqual([0, post]);
    expect(shown.received[0]).toMatchObject({ route: 'GET /manage/v1/posts/post_1/statistics' });
    const now = await runWith([json(200, post)], 'stats', 'post_1', '--now');
    expect(now.received[0]).toMatchObject({ route: 'POST /manage/v1/posts/post_1/statistics' });
    const channel = await runWith([json(200, { id: 'tgt_1', buckets: [] })], 'stats', 'tgt_1', '--bucket', 'hour');
    expect(channel.received[0]).toMatchObject({ route: 'GET /manage/v1/channels/tgt_1/statistics?bucket=hour' });
    const top = await runWith([json(200, { items: [{ post_id: 'post_1' }] })], 'top', '--by', 'shares', '--limit', '3');
    expect([top.output, top.received[0]?.route]).toEqual([
      '{"post_id":"post_1"}\n',
      'GET /manage/v1/statistics/top?by=shares&limit=3',
    ]);

    const table = 'post_id,views\r\npost_1,3\r\n';
    const printed = await runWith([textOf(table, 'text/csv')], 'stats', '--csv', '--channel-id', 'tgt_1');
    expect(printed.output).toBe(table);
    expect(printed.received[0]).toMatchObject({ route: 'GET /manage/v1/statistics.csv?channel_id=tgt_1' });
    const file = join(folder, 'numbers.csv');
    expect(await runWith([textOf(table, 'text/csv')], 'stats', '--csv', '--out', file)).toMatchObject({ output: '' });
    expect(await readFile(file, 'utf8')).toBe(table);
    const wrong = await runWith([], 'stats', 'pub_1');
    expect(wrong).toMatchObject({ code: 2, received: [] });
  });

  it.each([
    ['a refusal', json(409, { code: 'in_use', errors: ['One.', 'Two.', 'One.'] }), 1, 'in_use: One.\n  Two.'],
    [
      "a proxy's page",
      textOf('<html>', 'text/html'),
      0, // it is printed as it is
      '',
    ],
    [
      "a proxy's error",
      { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } },
      1,
      'http_502: GET /manage/v1/owners/own_1 answered 502 without a reason',
    ],
    [
      'an outage',
      json(503, { code: 'unavailable', errors: ['Later.'] }, { 'retry-after': '1' }),
      1,
      'unavailable: Later.',
    ],
  ])('asks once, and reports %s', async (_, answer, code, errors) => {
    const result = await runWith([answer], 'owners', 'get', 'own_1');
    expect(result).toMatchObject({ code, errors, received: { length: 1 } });
  });

  it('reports an answer that broke off with 3', async () => {
    const { code, errors, received } = await runWith([breakOff('{"id"')], 'owners', 'get', 'own_1');
    expect([code, received.length]).toEqual([3, 1]);
    expect(errors).toMatch(/^The connection to the gateway was lost \(.+\)\.$/);
  });

  it('reports an address that is none with 3', async () => {
    for (const url of ['127.0.0.1:3000', 'nonsense']) {
      const errors = CLI_MESSAGES.noUrl({ url });
      expect(await runCommand(url, ['owners', 'list'])).toEqual({ code: 3, output: '', errors });
    }
  });

  it('waits for a job, through an answer that broke off', async () => {
    const job = (state: string, progress: number) =>
      json(200, { id: 'job_1', kind: 'rebuild', state, progress, eta_seconds: 3, result: null });
    const command = ['projections', 'rebuild', 'posts', '--promote', 'manual'];
    const { code, output, errors, received } = await runWith(
      [job('running', 0), job('running', 0.5), breakOff('{'), job('done', 1)],
      ...command,
    );
    expect([code, errors]).toEqual([0, '50 %  rebuild job_1, 3 s left']);
    expect(JSON.parse(output)).toMatchObject({ state: 'done' });
    expect(received[0]).toMatchObject({
      route: 'POST /manage/v1/projections/posts/rebuild',
      body: '{"promote":"manual"}',
    });
  });

  it('goes on with an export that broke off, after its last line', async () => {
    const file = join(folder, 'history.ndjson');
    const command = ['history', 'export', '--secrets', 'sealed', '--out', file];
    const { code, received } = await runWith(
      [
        json(200, { head: '2' }),
        breakOff('{"position":"1","é":1}\n{"posi', NDJSON),
        textOf('{"position":"2"}\n{"last":true}\n', NDJSON),
      ],
      ...command,
    );
    expect(code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('{"position":"1","é":1}\n{"position":"2"}\n{"last":true}\n');
    expect(received.map(({ route }) => route)).toEqual([
      'GET /manage/v1/projections/audit',
      'GET /manage/v1/history/export?secrets=sealed',
      'GET /manage/v1/history/export?after=1&secrets=sealed',
    ]);
  });

  it('sends a part of an import again while the gateway is away', async () => {
    const file = join(folder, 'import.ndjson');
    await writeFile(file, '{"position":"1"}\n{"last":true}\n');
    const { code, output, received } = await runWith(
      [json(503, { code: 'unavailable', errors: ['Later.'] }), json(200, { events: 1, secrets: 0, complete: true })],
      ...['history', 'import', file],
    );
    expect([code, JSON.parse(output)]).toEqual([0, { events: 1, secrets: 0, complete: true }]);
    for (const { route, body, headers } of received)
      expect([route, body, headers['content-type']]).toEqual([
        'POST /manage/v1/history/import',
        '{"position":"1"}\n{"last":true}\n',
        NDJSON,
      ]);
    expect(received).toHaveLength(2);
  });

  it('reports that a gateway is not ready and refuses the key', async () => {
    const { code, output, received } = await runWith(
      [
        json(200, { ok: true }),
        json(503, {
          ok: false,
          checks: { store: 'down', database: 'ok' },
          degraded: [
            { name: 'posts', reason: 'x' },
            { name: 'archive', reason: 'y' },
          ],
          event_store: { lag: { posts: 3 } },
        }),
        json(404, { code: 'not_found', errors: ['none'] }),
        json(401, { code: 'unauthorized', errors: ['Who?'] }),
      ],
      'doctor',
    );
    expect(code).toBe(1);
    const findings = output.trim().split('\n').slice(2); // without lines whose figures depend on the time
    expect(findings.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'store: down',
      'posts: x',
      'archive: y',
      DOCTOR_MESSAGES.noVersion({ version: '0.1.0' }),
      DOCTOR_MESSAGES.noKey({ reason: 'unauthorized: Who?' }),
    ]);
    expect(findings.slice(1, 3).map((line) => (JSON.parse(line) as { advice: string }).advice)).toEqual([
      DOCTOR_MESSAGES.mendProjection({ name: 'posts' }),
      DOCTOR_MESSAGES.mendPart({ name: 'archive' }),
    ]);
    expect(received.map(({ route, headers }) => [route, headers.authorization])).toEqual([
      ['GET /healthz', undefined],
      ['GET /readyz', undefined],
      ['GET /openapi.json', undefined],
      ['GET /manage/v1/owners?limit=1', 'Bearer key'],
    ]);
  });
});
