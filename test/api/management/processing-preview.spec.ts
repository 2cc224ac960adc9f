import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTranslator, type TestTranslator } from '../../stand-ins/libretranslate/stand-in.js';
import { type Answer, TestGateway } from '../public/gateway.js';

const { A } = JSON.parse(readFileSync(new URL('../../../src/config/limits-profiles.json', import.meta.url), 'utf8'));
/** Number of translations that a minute's probe budget allows. Each reserves two probes, and costs one. */
const TRANSLATIONS = 7;

let folder: string;
let gateway: TestGateway;
let translator: TestTranslator;
let owner: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-preview-'));
  const LIMITS_PROFILE = join(folder, 'limits.json');
  // Computing time is unlimited here, because the thread may stall during a preview on a busy machine.
  const limits = { ...A, probes_per_minute: TRANSLATIONS + 1, preview_ms_per_minute: null };
  await writeFile(LIMITS_PROFILE, JSON.stringify(limits));
  gateway = await TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', LIMITS_PROFILE });
  translator = await startTranslator();
  owner = await gateway.createOwner();
});
afterEach(() => translator.control.clearFaults());
afterAll(async () => {
  await translator?.stop();
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

const createProject = async (processing: object, channels = 0, owner_id = owner): Promise<string> => {
  const channel_ids: string[] = [];
  for (let n = 0; n < channels; n++) channel_ids.push((await gateway.createChannel(owner_id)).id);
  return (await gateway.manage('POST', '/projects', { owner_id, name: 'Project', channel_ids, processing })).id;
};
const preview = (project: string, body: object): Promise<Answer> =>
  gateway.callManagement('POST', `/projects/${project}/preview`, body);
const translation = (more: object = {}) => ({
  provider: 'libretranslate',
  url: translator.url,
  source: 'ru',
  target: 'en',
  on_failure: 'publish_original',
  ...more,
});

const SIGNATURE = { text: 'Acme', entities: [{ type: 'bold', offset: 0, length: 4 }] };

describe('a preview of processing', () => {
  it("applies the project's own processing, for the networks of its channels", async () => {
    const project = await createProject({ signature: SIGNATURE }, 2);
    const { status, body } = await preview(project, {
      text: 'Hello',
      entities: [{ type: 'italic', offset: 0, length: 5 }],
    });
    expect([status, body]).toEqual([
      200,
      {
        platforms: {
          telegram: {
            text: 'Hello\n\nAcme',
            filtered: null,
            warnings: [],
            entities: [
              { type: 'italic', offset: 0, length: 5 },
              { type: 'bold', offset: 7, length: 4 },
            ],
          },
        },
      },
    ]);
  });

  it('applies the given processing instead, or none, and stores nothing', async () => {
    const project = await createProject({ signature: SIGNATURE }, 1);
    const before = (await gateway.readAllEvents()).length;
    const replacements = [{ from: 'colour', to: 'color' }];
    const given = await preview(project, { text: 'A colour', processing: { replacements } });
    expect(given.body.platforms.telegram).toMatchObject({ text: 'A color', entities: [] });
    for (const processing of [{}, null])
      expect((await preview(project, { text: 'A colour', processing })).body.platforms.telegram.text).toBe('A colour');
    expect((await gateway.readAllEvents()).length).toBe(before);
  });

  it('shows all networks for a project without channels, with the reason where a filter holds the post back', async () => {
    const filters = [{ mode: 'exclude', words: ['casino'], platforms: ['telegram', 'ok'] }];
    const project = await createProject({ filters, signature: { text: 'Acme', platforms: ['telegram', 'vk'] } });
    const { platforms } = (await preview(project, { text: 'A casino' })).body;
    expect(Object.keys(platforms)).toEqual(['telegram', 'vk', 'max', 'ok']);
    for (const platform of ['telegram', 'ok'])
      expect(platforms[platform]).toEqual({
        text: 'A casino',
        entities: [],
        warnings: [],
        filtered: expect.stringContaining('matches the word "casino"'),
      });
    expect(platforms.vk).toMatchObject({ text: 'A casino\n\nAcme', filtered: null });
    expect(platforms.max).toMatchObject({ text: 'A casino', filtered: null });
  });

  it('names every mistake of a body by its field, like a PATCH of the project', async () => {
    const project = await createProject({}, 1);
    for (const [body, paths] of [
      [{}, ['text']],
      [{ text: 5 }, ['text']],
      [{ text: 'x'.repeat(15_896) }, ['text']],
      [{ text: 'x', entities: 'bold' }, ['entities']],
      [{ text: 'x', entities: [{ type: 'bold', offset: 0, length: 2 }] }, ['entities[0].length']],
      [{ text: 'x', entities: [{ type: 'loud', offset: 0, length: 1 }] }, ['entities[0].type']],
      [{ text: 'x', more: 1 }, ['more']],
      [{ text: 'x', processing: { filters: [{ mode: 'include', pattern: '(' }] } }, ['processing.filters[0].pattern']],
      [{ text: 'x', processing: [] }, ['processing']],
      [
        { text: 'x', processing: { translation: translation({ provider: 'other' }) } },
        ['processing.translation.provider'],
      ],
      [
        { text: 'x', processing: { translation: translation({ url: 'http://10.0.0.1' }) } },
        ['processing.translation.url'],
      ],
    ] as const) {
      const { status, body: problem } = await preview(project, body);
      const found = problem.details.map(({ path }: { path: string }) => path);
      expect([body, status, found]).toEqual([body, 422, paths]);
    }
  });

  it('takes any text that a post may have, and an empty one', async () => {
    const project = await createProject({ signature: { text: 'Acme' } }, 1);
    expect((await preview(project, { text: '' })).body.platforms.telegram.text).toBe(''); // a signature is not published alone (ADR-56)
    const long = 'ж'.repeat(15_895);
    expect((await preview(project, { text: long, processing: {} })).body.platforms.telegram.text).toBe(long);
  });

  it('is not for other owners', async () => {
    const other = await gateway.manage('POST', '/owners', { name: 'Bob', plan: 'pro' });
    const headers = { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' };
    const path = `/manage/v1/projects/${await createProject({})}/preview`;
    expect((await gateway.call('POST', path, { headers, body: '{"text":"x"}' })).status).toBe(404);
  });
});

describe('a translation in a preview', () => {
  it('is made once for all networks', async () => {
    const project = await createProject({ translation: translation() });
    const shown = (await preview(project, { text: 'мир' })).body.platforms;
    expect(Object.values(shown)).toEqual(Array(4).fill({ text: 'мир·en', entities: [], filtered: null, warnings: [] }));
    expect((await translator.asked()).filter((text) => text === 'мир')).toHaveLength(1);
  });

  it('uses the key that was sent, else the one stored for the same URL', async () => {
    const project = await createProject({ translation: translation({ api_key: 'stored' }) }, 1);
    const isTranslated = async (more: object): Promise<boolean> => {
      const body = { text: 'ключ', processing: { translation: translation(more) } };
      return (await preview(project, body)).body.platforms.telegram.text === 'ключ·en';
    };
    await translator.control.request('POST', 'keys', { keys: ['stored'] });
    expect(await isTranslated({})).toBe(true);
    for (const more of [{ api_key: 'sent' }, { api_key: null }, { url: `${translator.url}/translate` }])
      expect([more, await isTranslated(more)]).toEqual([more, false]);
    await translator.control.request('POST', 'keys', { keys: ['sent'] });
    expect(await isTranslated({ api_key: 'sent' })).toBe(true);
    expect(await isTranslated({})).toBe(false);
    await translator.control.request('POST', 'keys', { keys: null });
  });

  it('that fails leaves the text as it is, and says so', async () => {
    const project = await createProject({}, 1, await gateway.createOwner());
    await translator.control.addFault({ mode: 'answer', status: 500, body: { error: 'out of memory' }, times: null });
    for (const [on_failure, message] of [
      ['publish_original', /out of memory/],
      ['retry', /500/],
    ] as const) {
      const processing = { translation: translation({ on_failure }) };
      const { telegram } = (await preview(project, { text: 'мир', processing })).body.platforms;
      expect(telegram).toEqual({
        text: 'мир',
        entities: [],
        filtered: null,
        warnings: [{ code: expect.any(String), message: expect.stringMatching(message) }],
      });
    }
  });

  it('is paid from the probe budget (D-51)', async () => {
    const project = await createProject({ translation: translation() }, 1, await gateway.createOwner());
    const answers: Answer[] = [];
    for (let n = 0; n <= TRANSLATIONS; n++) answers.push(await preview(project, { text: `мир ${n}` }));
    const refused = answers.pop()!;
    expect(answers.map(({ status }) => status)).toEqual(Array(TRANSLATIONS).fill(200));
    expect(refused).toMatchObject({
      status: 429,
      body: { ok: false, code: 'probe_budget', errors: [expect.stringContaining("this project's requests")] },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await preview(project, { text: 'мир', processing: {} })).status).toBe(200);
  });
});
