import { cleanText, originalLength } from './render.js';

const bold = (offset: number, length: number) => ({ type: 'bold', offset, length }) as const;

describe('cleanText (networks.md §2)', () => {
  it('leaves clean content exactly as it is', () => {
    const content = { text: 'a\nb', entities: [bold(0, 1)] };
    expect(cleanText(content)).toBe(content);
  });

  it('replaces control characters with spaces, except line feeds', () => {
    expect(cleanText({ text: 'a\tb\0c\x1fd\ne\x0bf', entities: [] }).text).toBe('a b c d\ne f');
  });

  it.each([
    ['before an entity', '\r\nab', bold(2, 2), bold(1, 2)],
    ['inside an entity', 'a\r\nb', bold(0, 4), bold(0, 3)],
    ['behind an entity', 'ab\r\n', bold(0, 2), bold(0, 2)],
    ['at both edges', '\ra\rb\r', bold(0, 5), bold(0, 2)],
    ['beside a surrogate pair', '😀\r😀', bold(3, 2), bold(2, 2)],
  ])('removes a carriage return %s and keeps the entity on its words', (_, text, entity, moved) => {
    expect(cleanText({ text, entities: [entity] })).toEqual({ text: text.replaceAll('\r', ''), entities: [moved] });
  });

  it('drops an entity that covered only carriage returns', () => {
    expect(cleanText({ text: 'a\r\rb', entities: [bold(1, 2)] })).toEqual({ text: 'ab', entities: [] });
  });

  it.each([
    [0, 0],
    [1, 2],
    [2, 4],
    [3, 5],
  ])('maps the first %i units to %i units of the original', (kept, units) => {
    expect(originalLength('\ra\r\nb\r', kept)).toBe(units);
  });
});
