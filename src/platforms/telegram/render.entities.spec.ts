import type { Entity } from '../../payload/payload.js';
import { renderEntities } from './render.js';

describe('renderEntities (networks.md §2)', () => {
  it('leaves out the entities that Telegram detects itself, without a warning', () => {
    const detected = ['mention', 'url', 'email', 'phone_number', 'hashtag'] as const;
    const entities = detected.map((type, index) => ({ type, offset: index, length: 1 }));
    expect(renderEntities(entities)).toEqual({ entities: [], warnings: [] });
  });

  it('keeps only the details that belong to the type of an entity', () => {
    const everything = { url: 'https://example.com/', language: 'ts', custom_emoji_id: '53' };
    const types = ['bold', 'pre', 'text_link', 'custom_emoji'] as const;
    const entities = types.map((type, index): Entity => ({ type, offset: index, length: 1, ...everything }));
    expect(renderEntities(entities).entities).toEqual([
      { type: 'bold', offset: 0, length: 1 },
      { type: 'pre', offset: 1, length: 1, language: 'ts' },
      { type: 'text_link', offset: 2, length: 1, url: 'https://example.com/' },
      { type: 'custom_emoji', offset: 3, length: 1, custom_emoji_id: '53' },
    ]);
  });

  it.each([
    ['link_dropped', { type: 'text_link', offset: 0, length: 1, url: 'https://localhost/' }],
    ['link_dropped', { type: 'text_link', offset: 0, length: 1 }],
    ['custom_emoji_dropped', { type: 'custom_emoji', offset: 0, length: 1, custom_emoji_id: 'smile' }],
  ] as const)('warns with %s instead of failing the post', (code, entity) => {
    const { entities, warnings } = renderEntities([entity]);
    expect(entities).toEqual([]);
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
  });

  it('keeps the first hundred in the order of the text, and reports how many are left out', () => {
    const many = Array.from({ length: 103 }, (_, at): Entity => ({ type: 'bold', offset: at * 2, length: 1 }));
    const { entities, warnings } = renderEntities(many.toReversed());
    expect(entities).toEqual(many.slice(0, 100));
    expect(warnings).toEqual([
      {
        code: 'entities_dropped',
        message: expect.stringContaining('the formatting of 3 parts after them is omitted'),
      },
    ]);
  });

  it('accepts a hundred without a warning', () => {
    const many = Array.from({ length: 100 }, (_, at): Entity => ({ type: 'bold', offset: at * 2, length: 1 }));
    expect(renderEntities(many)).toEqual({ entities: many, warnings: [] });
  });
});
