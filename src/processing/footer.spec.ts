import type { Entity } from '../payload/payload.js';
import { withoutFooter } from './footer.js';

const bold = (offset: number, length: number): Entity => ({ type: 'bold', offset, length });
const cut = (text: string, footer: Parameters<typeof withoutFooter>[1]) =>
  withoutFooter({ text, entities: [] }, footer).text;

describe('a footer (D-28)', () => {
  it('goes from the last place of its marker to the end, with the white space before it', () => {
    expect(cut('One -- two\n\n-- three', { marker: '--' })).toBe('One -- two');
    expect(cut('Text\n— — —\nChannel', { marker: '— — —' })).toBe('Text');
    expect(cut('— — —\nChannel', { marker: '— — —' })).toBe('');
  });

  it('stays where its marker stands nowhere, or in another case', () => {
    expect(cut('Text\nsource: a', { marker: 'Source' })).toBe('Text\nsource: a');
  });

  it('goes from the last match of its pattern', () => {
    expect(cut('a\n#b\ntext\n#c\n#d', { pattern: '(?:\\n#\\w+)+$' })).toBe('a\n#b\ntext');
    expect(cut('Источник: a\nда\nИсточник: b', { pattern: '(?i)источник:.*' })).toBe('Источник: a\nда');
    expect(cut('text', { pattern: '#\\w+' })).toBe('text');
  });

  it('takes a character whole that its marker is a part of', () => {
    expect(cut('a👨‍👩‍👧 b', { marker: '👩' })).toBe('a');
    expect(cut('ae\u0301b', { pattern: '\u0301' })).toBe('a');
  });

  it('takes the entities along that stand on it, and shortens those that reach into it', () => {
    const content = {
      text: 'Read 🎈 on -- @acme',
      entities: [bold(0, 19), bold(5, 2), bold(11, 8), { type: 'mention', offset: 14, length: 5 } as const],
    };
    expect(withoutFooter(content, { marker: '--' })).toEqual({
      text: 'Read 🎈 on',
      entities: [bold(0, 10), bold(5, 2)],
    });
  });
});
