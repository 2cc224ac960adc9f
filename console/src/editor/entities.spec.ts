import { type Entity, fromEntities, isEditable, toEntities } from './entities.js';

describe('formatting of a payload', () => {
  it('comes back from the editor as it was', () => {
    const text = 'Bold and a link\nquoted words\ncode';
    const entities: readonly Entity[] = [
      { type: 'bold', offset: 0, length: 4 },
      { type: 'text_link', offset: 11, length: 4, url: 'https://example.com' },
      { type: 'blockquote', offset: 16, length: 12 },
      { type: 'code', offset: 29, length: 4 },
    ];
    expect(toEntities(fromEntities(text, entities))).toEqual(entities);
    expect(isEditable(entities)).toBe(true);
  });

  it('that networks find in the text by themselves is no loss', () => {
    const entities: readonly Entity[] = [{ type: 'hashtag', offset: 0, length: 4 }];
    expect(fromEntities('#now', entities).marks).toEqual([]);
    expect(isEditable(entities)).toBe(true);
  });

  it.each<Entity>([
    { type: 'custom_emoji', offset: 0, length: 2, custom_emoji_id: '1' },
    { type: 'pre', offset: 0, length: 2, language: 'ts' },
    { type: 'expandable_blockquote', offset: 0, length: 2 },
  ])('that the editor does not offer is a loss: $type', (entity) => {
    expect(isEditable([entity])).toBe(false);
  });
});
