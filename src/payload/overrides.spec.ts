import type { Audience } from './content-layers.js';
import { contentFor, listMedia } from './overrides.js';
import { validatePayload } from './validate.js';

const TG = { channelId: 'tgt_1', platform: 'telegram' };
const VK = { channelId: 'tgt_2', platform: 'vk' };
const OTHER_TG = { channelId: 'tgt_3', platform: 'telegram' };
const audience: Audience = { platforms: ['telegram', 'vk'], targets: [TG, VK, OTHER_TG] };
const photo = { type: 'photo', url: 'https://example.org/a.jpg' };
const document = { type: 'document', url: 'https://example.org/a.pdf' };
const bold = (offset: number, length: number) => ({ type: 'bold', offset, length });
const button = { text: 'Open', url: 'https://example.org/' };

const check = (sent: object) => validatePayload(sent, undefined, audience);
const problemsOf = (sent: object) => {
  const checked = check(sent);
  const { ok, problems } = checked;
  return [ok ? 200 : checked.status, ...problems.map(({ path, code }) => `${path} ${code}`)];
};
/** Returns a post's content for each of the three targets. */
const contents = (sent: object) => {
  const checked = check(sent);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return [TG, VK, OTHER_TG].map((target) => contentFor(checked.payload, target));
};

describe('content per target (D-61)', () => {
  it("is the payload's, then the network's, then the target's own, field by field", () => {
    const post = {
      text: 'for all',
      media: [photo],
      overrides: { telegram: { text: 'telegram', buttons: [[button]] }, tgt_3: { text: 'third', media: null } },
    };
    expect(contents(post)).toEqual([
      { text: 'telegram', media: [photo], buttons: [[button]] },
      { text: 'for all', media: [photo] },
      { text: 'third', buttons: [[button]] },
    ]);
  });

  it('a text brings its own entities, entities alone belong to the text below', () => {
    const entities = [bold(0, 3)];
    expect(contents({ text: 'for all', entities, overrides: { vk: { text: 'x' } } })[1]).toEqual({ text: 'x' });
    expect(contents({ text: 'for all', entities, overrides: { vk: { entities: [bold(4, 3)] } } })[1]).toEqual({
      text: 'for all',
      entities: [bold(4, 3)],
    });
    const onNetwork = { text: 'telegram', entities: [bold(0, 8)] };
    expect(contents({ text: 'x', overrides: { telegram: onNetwork, tgt_3: { entities: [bold(1, 2)] } } })[2]).toEqual({
      text: 'telegram',
      entities: [bold(1, 2)],
    });
  });

  it.each([null, '', ' \u200b'])('the text %j removes text and entities', (text) => {
    expect(contents({ text: 'a', entities: [bold(0, 1)], media: [photo], overrides: { vk: { text } } })[1]).toEqual({
      media: [photo],
    });
  });

  it.each([[null], [[]]])('the list %j removes a list', (list) => {
    const removed = { entities: list, media: list, buttons: list };
    const post = { text: 'a', entities: [bold(0, 1)], media: [photo], buttons: [[button]], overrides: { vk: removed } };
    expect(contents(post)[1]).toEqual({ text: 'a' });
  });

  it('needs no valid payload where every addressed target gets a valid post', () => {
    expect(problemsOf({ overrides: { telegram: { text: 'a' }, tgt_2: { media: [photo] } } })).toEqual([200]);
    expect(problemsOf({ targets: [{ id: 'tgt_2' }], overrides: { vk: { text: 'a' } } })).toEqual([200]);
    expect(problemsOf({ overrides: { vk: { text: 'a' } } })).toEqual([422, ' nothing_to_publish']);
    const media = [document];
    expect(problemsOf({ media, overrides: { telegram: { media: [photo] }, vk: { text: 'a', media: null } } })).toEqual([
      200,
    ]);
    expect(problemsOf({ media, overrides: { vk: { text: 'a', media: null } } })).toEqual([
      400,
      'media[0].type document_not_supported',
    ]);
  });

  it('absent: no overrides, an empty object, null values', () => {
    for (const overrides of [null, {}, { vk: null }])
      expect(check({ text: 'a', overrides })).toEqual({ ok: true, payload: { text: 'a' }, problems: [] });
  });

  it.each<[object, ...unknown[]]>([
    [{ telegram: {} }, 422, 'overrides.telegram empty'],
    [{ telegram: { txt: 'a' } }, 422, 'overrides.telegram empty'],
    [{ telegram: 'a' }, 422, 'overrides.telegram wrong_type'],
    [{ facebook: { text: 'a' } }, 422, 'overrides.facebook unknown_override'],
    [{ tgt_9: { text: 'a' } }, 422, 'overrides.tgt_9 unknown_override'],
    [{ 'a b': { text: 'a' } }, 422, 'overrides["a b"] unknown_override'],
    [{ telegram: { text: 7 } }, 422, 'overrides.telegram.text wrong_type'],
    [{ telegram: { text: 'x'.repeat(15_896) } }, 422, 'overrides.telegram.text too_long'],
    [{ telegram: { media: [document] } }, 400, 'overrides.telegram.media[0].type document_not_supported'],
    [
      { telegram: { text: 'ab', entities: [bold(0, 3)] } },
      400,
      'overrides.telegram.entities[0].length entity_out_of_range',
    ],
    [{ tgt_1: { entities: [bold(7, 1)] } }, 400, 'overrides.tgt_1.entities[0].offset entity_out_of_range'],
    [{ tgt_1: { text: null, entities: [bold(0, 1)], media: [photo] } }, 400, expect.stringMatching('out_of_range')],
    [{ vk: { text: null } }, 422, 'overrides.vk nothing_to_publish'],
    [{ vk: { buttons: [[{ text: 'a' }]] } }, 422, 'overrides.vk.buttons[0][0].url missing'],
    [
      { telegram: { text: 7 }, vk: { text: 'a', entities: [bold(0, 2)] } },
      422,
      'overrides.telegram.text wrong_type',
      'overrides.vk.entities[0].length entity_out_of_range',
    ],
  ])('refuses %j', (overrides, ...expected) => {
    expect(problemsOf({ text: 'for all', overrides })).toEqual(expected);
  });

  it('overrides of targets that the post does not address are checked for their schema alone', () => {
    const targets = [{ id: 'tgt_2' }];
    const entities = [bold(0, 9)];
    expect(problemsOf({ text: 'a', targets, overrides: { telegram: { text: 'a', entities } } })).toEqual([200]);
    expect(problemsOf({ text: 'a', targets, overrides: { tgt_1: { text: 7 } } })).toEqual([
      422,
      'overrides.tgt_1.text wrong_type',
    ]);
  });

  it('a checked payload with overrides is valid as it is', () => {
    const overrides = { telegram: { text: 'b', entities: [bold(0, 1)] }, tgt_2: { media: null, buttons: [[button]] } };
    const checked = check({ text: 'a', media: [photo], overrides });
    expect(check((checked as unknown as { payload: object }).payload)).toEqual(checked);
  });
});

describe('the media lists of a post (D-61)', () => {
  const pathsFor = (overrides: object, ...addressed: Parameters<typeof listMedia>[1]): string[] =>
    listMedia({ media: [photo] as never, overrides: overrides as never }, addressed).map(({ path }) => path);

  it("are those that its targets get: a target's own before its network's, each once", () => {
    const overrides = { telegram: { media: [photo] }, tgt_3: { media: [photo] } };
    expect(pathsFor(overrides, OTHER_TG)).toEqual(['overrides.tgt_3.media']);
    expect(pathsFor(overrides, TG, VK, OTHER_TG)).toEqual([
      'overrides.telegram.media',
      'media',
      'overrides.tgt_3.media',
    ]);
    expect(pathsFor(overrides, TG, TG)).toEqual(['overrides.telegram.media']);
  });

  it('leave out a list that an override removes', () => {
    expect(pathsFor({ telegram: { media: [photo] }, tgt_3: { media: null } }, OTHER_TG)).toEqual([]);
    expect(pathsFor({ telegram: { media: null }, tgt_3: { text: 'a' } }, OTHER_TG, VK)).toEqual(['media']);
  });
});
