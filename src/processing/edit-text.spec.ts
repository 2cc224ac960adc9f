import type { Entity } from '../payload/payload.js';
import { removeFooter } from './edit-text.js';

const bold = (offset: number, length: number): Entity => ({ type: 'bold', offset, length });
const cut = (text: string, footer: Parameters<typeof removeFooter>[1]) =>
  removeFooter({ text, entities: [] }, footer).text;

describe('a footer (D-28)', () => {
  it('is removed from the last occurrence of its marker, with the white space before it', () => {
    expect(cut('One -- two\n\n-- three', { marker: '--' })).toBe('One -- two');
    expect(cut('Text\n— — —\nChannel', { marker: '— — —' })).toBe('Text');
    expect(cut('— — —\nChannel', { marker: '— — —' })).toBe('');
  });

  it('stays if its marker does not occur, or only in another case', () => {
    expect(cut('Text\nsource: a', { marker: 'Source' })).toBe('Text\nsource: a');
  });

  it('is removed from the last match of its pattern', () => {
    expect(cut('a\n#b\ntext\n#c\n#d', { pattern: '(?:\\n#\\w+)+$' })).toBe('a\n#b\ntext');
    expect(cut('Источник: a\nда\nИсточник: b', { pattern: '(?i)источник:.*' })).toBe('Источник: a\nда');
    expect(cut('text', { pattern: '#\\w+' })).toBe('text');
  });

  it('includes the whole character that its marker is a part of', () => {
    expect(cut('a👨‍👩‍👧 b', { marker: '👩' })).toBe('a');
    expect(cut('ae\u0301b', { pattern: '\u0301' })).toBe('a');
  });

  it('is removed with its entities; entities that reach into it are shortened', () => {
    const content = {
      text: 'Read 🎈 on -- @acme',
      entities: [bold(0, 19), bold(5, 2), bold(11, 8), { type: 'mention', offset: 14, length: 5 } as const],
    };
    expect(removeFooter(content, { marker: '--' })).toEqual({
      text: 'Read 🎈 on',
      entities: [bold(0, 10), bold(5, 2)],
    });
  });
});
