import {
  createChannel,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { listProblems } from './problem-details.js';

describe('projects', () => {
  let harness: ManagementHarness;
  let owner: TestOwner;
  let other: TestOwner;
  let channels: string[];
  beforeAll(async () => {
    harness = await startHarness();
    [owner, other] = [await createOwner(harness), await createOwner(harness)];
    channels = [(await createChannel(owner)).id, (await createChannel(owner)).id];
  });
  afterAll(() => harness.stop());

  const create = (fields: object) => owner.caller.post('/projects', { name: 'News', channel_ids: [], ...fields });

  it('list their channels in the given order', async () => {
    const { body } = await create({ channel_ids: channels }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^prj_[0-9a-f]{32}$/),
      owner_id: owner.id,
      name: 'News',
      channel_ids: channels,
      processing: {},
      paused_until: null,
      created_at: expect.any(String),
    });
    expect((await owner.caller.get(`/projects/${body.id}`).expect(200)).body).toEqual(body);
    const reversed = channels.toReversed();
    const change = { channel_ids: reversed, name: 'Other' };
    const { body: changed } = await owner.caller.patch(`/projects/${body.id}`, change).expect(200);
    expect(changed).toEqual({ ...body, ...change });
  });

  it('accept only channels of their owner, each once', async () => {
    const foreign = (await createChannel(other)).id;
    const unknown = 'tgt_00000000000000000000000000000000';
    const { body } = await create({ channel_ids: [channels[0], foreign, unknown] }).expect(422);
    expect(listProblems(body)).toEqual(['channel_ids[1]: unknown_id', 'channel_ids[2]: unknown_id']);
    expect(body.errors[0]).toBe(`channel_ids[1]: ${foreign} does not exist or belongs to another owner`);
    const twice = await create({ channel_ids: [channels[0], channels[0], 'prj_1', 7] }).expect(422);
    expect(listProblems(twice.body)).toEqual([
      'channel_ids[1]: duplicate',
      'channel_ids[2]: wrong_type',
      'channel_ids[3]: wrong_type',
    ]);
    const { id } = (await create({}).expect(201)).body;
    const changed = await owner.caller.patch(`/projects/${id}`, { channel_ids: [foreign] }).expect(422);
    expect(listProblems(changed.body)).toEqual(['channel_ids[0]: unknown_id']);
    // The same holds if the operator acts for the owner.
    const sent = { owner_id: owner.id, name: 'N', channel_ids: [foreign] };
    await operatorCaller(harness).post('/projects', sent).expect(422);
  });

  it.each([
    [{ name: '' }, ['name: empty']],
    [{ channel_ids: undefined }, ['channel_ids: missing']],
    [{ channel_ids: 'tgt_1' }, ['channel_ids: wrong_type']],
    [{ channels: [] }, ['channels: unknown_field']],
  ])('are not created with %j', async (fields, expected) => {
    expect(listProblems((await create(fields).expect(422)).body)).toEqual(expected);
  });

  it('are not found by other owners', async () => {
    const { id } = (await create({}).expect(201)).body;
    await other.caller.get(`/projects/${id}`).expect(404);
    await other.caller.patch(`/projects/${id}`, { name: 'Mine' }).expect(404);
    await other.caller.post(`/projects/${id}/pause`, { minutes: 1 }).expect(404);
    await other.caller.post(`/projects/${id}/resume`).expect(404);
  });

  it('are paused and resumed', async () => {
    const { id } = (await create({ channel_ids: channels }).expect(201)).body;
    const { body } = await owner.caller.post(`/projects/${id}/pause`, { minutes: 30 }).expect(200);
    expect(Date.parse(body.paused_until)).toBeGreaterThan(Date.now() + 29 * 60_000);
    const shorter = await owner.caller.post(`/projects/${id}/pause`, { minutes: 1 }).expect(200);
    expect(shorter.body).toEqual(body);
    expect((await owner.caller.post(`/projects/${id}/resume`).expect(200)).body.paused_until).toBeNull();
    await owner.caller.post(`/projects/${id}/pause`, { minutes: 0 }).expect(422);
    // A project's pause does not pause its channels.
    expect((await owner.caller.get(`/channels/${channels[0]}`)).body.paused_until).toBeNull();
  });

  describe('with processing of posts', () => {
    const full = {
      filters: [
        { mode: 'include', words: ['sale', 'распродажа'] },
        { mode: 'exclude', pattern: '(?i)casino|b[e3]t', platforms: ['vk', 'ok'] },
      ],
      footer: { marker: '— — —' },
      replacements: [
        { from: 'colour', to: 'color', whole_word: true },
        { from: ' — ad', to: '' },
      ],
      translation: {
        provider: 'libretranslate',
        url: 'https://translate.example/',
        source: 'auto',
        target: 'en',
        on_failure: 'retry',
      },
      signature: { text: 'Acme 🎈 news', entities: [{ type: 'bold', offset: 0, length: 4 }], platforms: ['telegram'] },
    };

    it('return every part as it was sent', async () => {
      const { body } = await create({ processing: full }).expect(201);
      expect(body.processing).toEqual(full);
      const footer = { footer: { pattern: '\\n#\\w+$' } };
      const changed = await owner.caller.patch(`/projects/${body.id}`, { processing: footer }).expect(200);
      expect(changed.body.processing).toEqual(footer); // as a whole
      const none = await owner.caller.patch(`/projects/${body.id}`, { processing: null }).expect(200);
      expect(none.body.processing).toEqual({});
    });

    it('store a translation key, which is never shown and belongs to its URL', async () => {
      const { translation } = full;
      const keyed = { translation: { ...translation, api_key: 'secret-key' } };
      const { body, text } = await create({ processing: keyed }).expect(201);
      expect(text).not.toContain('secret-key');
      expect(body.processing).toEqual({ translation });
      const keyIds = async (): Promise<unknown[]> => {
        const { rows } = await harness.running.infrastructure.pool.query<{ id: unknown }>(
          `select state #>> '{processing,translation,api_key_id}' as id from discovery.project where project_id = $1`,
          [body.id],
        );
        return rows.map(({ id }) => id);
      };
      const [keyId] = await keyIds();
      expect(await harness.running.infrastructure.vault.readSecret(keyId as string)).toEqual({ api_key: 'secret-key' });
      // A project can be read, changed and sent back without losing the key.
      const change = (more: object) =>
        owner.caller.patch(`/projects/${body.id}`, { processing: { translation: { ...translation, ...more } } });
      await change({ target: 'de' }).expect(200);
      expect(await keyIds()).toEqual([keyId]);
      // The key is not used for another URL, and null removes it.
      await change({ url: 'https://elsewhere.example/' }).expect(200);
      expect(await keyIds()).toEqual([null]);
      await change({ api_key: 'new' }).expect(200);
      expect(await keyIds()).toEqual([expect.any(String)]);
      await change({ api_key: null }).expect(200);
      expect(await keyIds()).toEqual([null]);
    });

    it.each<[string, object, string[]]>([
      ['something other than an object', [], [': wrong_type']],
      ['an unknown part', { filter: [] }, ['.filter: unknown_field']],
      ['a filter without words and pattern', { filters: [{ mode: 'include' }] }, ['.filters[0]: missing']],
      ['a filter without a mode', { filters: [{ words: ['a'] }] }, ['.filters[0].mode: missing']],
      [
        'a filter with an empty word',
        { filters: [{ mode: 'exclude', words: ['a', ' '] }] },
        ['.filters[0].words[1]: bad_word'],
      ],
      [
        'a filter for an unknown network',
        { filters: [{ mode: 'exclude', words: ['a'], platforms: ['icq'] }] },
        ['.filters[0].platforms[0]: unknown_value'],
      ],
      ['a backreference', { filters: [{ mode: 'exclude', pattern: '(a)\\1' }] }, ['.filters[0].pattern: bad_pattern']],
      ['a lookahead', { footer: { pattern: 'a(?=b)' } }, ['.footer.pattern: bad_pattern']],
      ['an unclosed group', { footer: { pattern: '(a' } }, ['.footer.pattern: bad_pattern']],
      ['a footer that matches nothing', { footer: { pattern: '\\s*$' } }, ['.footer.pattern: empty']],
      [
        'a pattern too large',
        { filters: [{ mode: 'exclude', pattern: 'a{900}b{900}' }] },
        ['.filters[0].pattern: too_large'],
      ],
      [
        'patterns that are too large together',
        { filters: Array.from({ length: 3 }, () => ({ mode: 'exclude', pattern: '\\pL{900}' })) },
        [': too_large'],
      ],
      [
        'too many words',
        { filters: [{ mode: 'exclude', words: Array.from({ length: 120 }, (_, i) => `${i}`.padStart(199, 'x')) }] },
        ['.filters: too_long'],
      ],
      ['a pattern that is not a string', { footer: { pattern: 5 } }, ['.footer.pattern: wrong_type']],
      [
        'a filter’s pattern that is not a string',
        { filters: [{ mode: 'exclude', pattern: {} }] },
        ['.filters[0].pattern: wrong_type'],
      ],
      [
        'a word that is not a string',
        { filters: [{ mode: 'exclude', words: [null] }] },
        ['.filters[0].words[0]: bad_word'],
      ],
      ['two footers', { footer: { pattern: 'a', marker: 'b' } }, ['.footer: missing']],
      ['an empty footer', { footer: {} }, ['.footer: missing']],
      [
        'a replacement of nothing',
        { replacements: [{ from: '', to: 'x' }, 'a'] },
        ['.replacements[0].from: empty', '.replacements[1]: wrong_type'],
      ],
      ['a replacement without its new text', { replacements: [{ from: 'x' }] }, ['.replacements[0].to: missing']],
      [
        'an unknown provider',
        { translation: { ...full.translation, provider: 'babel' } },
        ['.translation.provider: unknown_value'],
      ],
      [
        'a private translator',
        { translation: { ...full.translation, url: 'https://127.0.0.1/' } },
        ['.translation.url: private_address'],
      ],
      [
        'a translator over http',
        { translation: { ...full.translation, url: 'http://t.example/' } },
        ['.translation.url: url_not_https'],
      ],
      [
        'a bad language',
        { translation: { ...full.translation, target: 'English!' } },
        ['.translation.target: bad_form'],
      ],
      ['an invisible signature', { signature: { text: '\u200b' } }, ['.signature.text: empty']],
      [
        'an entity outside the signature',
        { signature: { text: 'abc', entities: [{ type: 'bold', offset: 1, length: 3 }] } },
        ['.signature.entities[0].length: entity_out_of_range'],
      ],
      [
        'an entity through an emoji',
        { signature: { text: '🎈', entities: [{ type: 'bold', offset: 1, length: 1 }] } },
        ['.signature.entities[0].offset: entity_splits_character'],
      ],
      [
        'an unknown entity',
        { signature: { text: 'abc', entities: [{ type: 'blink', offset: 0, length: 1 }] } },
        ['.signature.entities[0].type: unknown_value'],
      ],
    ])('are rejected with %s', async (_, processing, expected) => {
      const { body } = await create({ processing }).expect(422);
      expect(listProblems(body)).toEqual(expected.map((problem) => `processing${problem}`));
    });
  });
});
