import type { Entity } from '../../payload/payload.js';
import { renderEntities } from './entities.js';

describe('renderEntities (networks.md §2)', () => {
  it('leaves out what Telegram detects by itself, without a word', () => {
    const detected = ['mention', 'url', 'email', 'phone_number', 'hashtag'] as const;
    const entities = detected.map((type, index) => ({ type, offset: index, length: 1 }));
    expect(renderEntities(entities)).toEqual({ entities: [], warnings: [] });
  });

  it('passes on the details of a type and no others', () => {
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
  ] as const)('warns %s instead of losing the post', (code, entity) => {
    const { entities, warnings } = renderEntities([entity]);
    expect(entities).toEqual([]);
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
  });

  it('keeps the first hundred in order of the text, and says how many it left out', () => {
    const many = Array.from({ length: 103 }, (_, at): Entity => ({ type: 'bold', offset: at * 2, length: 1 }));
    const { entities, warnings } = renderEntities(many.toReversed());
    expect(entities).toEqual(many.slice(0, 100));
    expect(warnings).toEqual([
      { code: 'entities_dropped', message: expect.stringContaining('the last 3 are sent plain') },
    ]);
  });

  it('takes a hundred without a warning', () => {
    const many = Array.from({ length: 100 }, (_, at): Entity => ({ type: 'bold', offset: at * 2, length: 1 }));
    expect(renderEntities(many)).toEqual({ entities: many, warnings: [] });
  });
});
