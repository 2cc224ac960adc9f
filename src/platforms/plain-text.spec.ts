import fc from 'fast-check';
import { anyTextWithEntities } from '../../test/support/payload-properties.js';
import { plainText } from './plain-text.js';

const link = (offset: number, length: number, url = 'https://example.com/') =>
  ({ type: 'text_link', offset, length, url }) as const;

describe('plainText', () => {
  it('inserts the address of a link behind its words, unless the words are the address', () => {
    const text = 'See tides and https://example.com/ now';
    expect(plainText({ text, entities: [link(14, 20), link(4, 5)] }, { limit: 100 })).toEqual({
      text: 'See tides (https://example.com/) and https://example.com/ now',
      trimmedChars: 0,
      droppedSignature: false,
      droppedLinks: 0,
      losesFormatting: false,
    });
  });

  it('reports lost formatting', () => {
    const entities = [{ type: 'bold', offset: 0, length: 2 }] as const;
    expect(plainText({ text: 'Ahoy', entities }, { limit: 100 })).toMatchObject({
      text: 'Ahoy',
      losesFormatting: true,
    });
  });

  it('trims the text to make room for the lines, and counts the cut units of the original', () => {
    const content = { text: 'one two three four', entities: [] };
    expect(plainText(content, { limit: 16, lines: ['line'] })).toMatchObject({
      text: 'one two…\n\nline',
      trimmedChars: 11,
    });
  });

  it('reports an address that is left out although every word stays', () => {
    const content = { text: 'Tides here', entities: [link(6, 4, `https://example.com/${'long/'.repeat(20)}`)] };
    expect(plainText(content, { limit: 100 })).toMatchObject({ text: 'Tides here…', trimmedChars: 0, droppedLinks: 1 });
    expect(plainText(content, { limit: 200 })).toMatchObject({ trimmedChars: 0, droppedLinks: 0 });
  });

  it('leaves an address out instead of cutting it', () => {
    const content = { text: 'Tides here and there', entities: [link(6, 4, 'https://example.com/a/long/path')] };
    for (let limit = 12; limit < 45; limit++) {
      const { text, trimmedChars, droppedLinks } = plainText(content, { limit });
      expect(text).toBe('Tides here…');
      expect(trimmedChars).toBe(10);
      expect(droppedLinks).toBe(1);
    }
  });

  it('inserts an address behind the whole grapheme in which a link ends, and never cuts a grapheme', () => {
    const content = { text: `${'a'.repeat(50)}👩‍🚀 tail`, entities: [link(50, 2, 'https://example.com/abcdefghijkl')] };
    const astronaut = `${'a'.repeat(50)}👩‍🚀`;
    expect(plainText(content, { limit: 100 }).text).toBe(`${astronaut} (https://example.com/abcdefghijkl) tail`);
    const { text, trimmedChars, droppedLinks } = plainText(content, { limit: 60 });
    expect({ text, trimmedChars, droppedLinks }).toEqual({ text: `${astronaut}…`, trimmedChars: 5, droppedLinks: 1 });
  });

  it('leaves no trailing white space when it leaves an address out', () => {
    const content = { text: 'שלום עולם', entities: [link(0, 5, 'https://example.com/a/long/path')] };
    const { text, trimmedChars, droppedLinks } = plainText(content, { limit: 20 });
    expect({ text, trimmedChars, droppedLinks }).toEqual({ text: 'שלום…', trimmedChars: 5, droppedLinks: 1 });
    const two = { text: 'Tides\n\nhere', entities: [link(0, 5, 'https://a.example'), link(5, 2)] };
    expect(plainText(two, { limit: 40 }).text).toBe('Tides (https://a.example)…');
  });

  describe('with signs that must not precede a name', () => {
    const breaks = (text: string) => Array.from(text.matchAll(/[@*[](?=\w)/g), ({ index }) => index + 1);
    const shown = (text: string, ...entities: ReturnType<typeof link>[]) =>
      plainText({ text, entities }, { limit: 1_000, breaks }).text.replaceAll('\u200b', '·');

    it.each([
      ['@a and *b', '@·a and *·b'],
      ['https://e.com/a,@user?f[a]=*b', 'https://e.com/a,%40user?f%5Ba]=%2Ab'],
      ['see e.com/@a, @b', 'see e.com/%40a, @·b'],
      ['пример.рф/@a «https://e.com/?q=@a»@b', 'пример.рф/%40a «https://e.com/?q=%40a»@·b'],
      ['https://e.com,@a https://[b]/ e.com?@a', 'https://e.com,@·a https://[·b]/ e.com?@·a'],
    ])('keeps addresses in the text whole: %s', (text, expected) => {
      expect(shown(text)).toBe(expected);
    });

    it.each([
      ['https://e.com/?q=a,@user&z=*id1', 'https://e.com/?q=a,%40user&z=%2Aid1'],
      ['https://e.com/?f[a|b]=1', 'https://e.com/?f%5Ba|b]=1'],
      ['https://me,@e.com', 'https://me,@e.com'],
      ['mailto:+@e.com?cc=@a', 'mailto:+@e.com?cc=%40a'],
      ['tel:*1#', 'tel:*1#'],
      ['https://e.com/"a b",@c', 'https://e.com/"a b",%40c'],
    ])('keeps the address of a link whole: %s', (url, expected) => {
      expect(shown('@a link,@b', link(3, 4, url))).toBe(`@·a link (${expected}),@·b`);
    });

    it('keeps the addresses below the text whole, and does not count inserted units as cut', () => {
      const content = { text: '@a https://e.com/@b @c', entities: [] };
      const { text, trimmedChars } = plainText(content, { limit: 53, breaks, lines: ['https://m.example/@d.mp3'] });
      expect(text).toBe('@\u200ba https://e.com/%40b…\n\nhttps://m.example/%40d.mp3');
      expect(trimmedChars).toBe(3);
    });
  });

  it('drops lines that do not fit even without the text', () => {
    expect(plainText({ text: 'Ahoy', entities: [] }, { limit: 9, lines: ['12345', '678', '90123456', '4'] })).toEqual({
      text: '12345\n678',
      trimmedChars: 4,
      droppedSignature: false,
      droppedLinks: 2,
      losesFormatting: false,
    });
  });

  it('shows nothing of an invisible text', () => {
    expect(plainText({ text: '\u200b \n', entities: [] }, { limit: 9 }).text).toBe('');
    expect(plainText({ text: '\u200b \n', entities: [] }, { limit: 9, lines: ['a'] }).text).toBe('a');
  });

  it('stays within the limit for any text, and cuts nothing from a text that fits', () => {
    fc.assert(
      fc.property(
        anyTextWithEntities,
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.string({ maxLength: 20 })),
        ({ text, entities }, limit, lines) => {
          const linked = entities.map((entity) => ({ ...entity, url: 'https://example.com/' }));
          const breaks = (of: string) => Array.from(of.matchAll(/a/g), ({ index }) => index + 1);
          const cut = plainText({ text, entities: linked }, { limit, lines, breaks });
          expect(cut.text.length).toBeLessThanOrEqual(limit);
          expect(cut.trimmedChars).toBeGreaterThanOrEqual(0);
          expect(cut.trimmedChars).toBeLessThanOrEqual(text.length);
          expect(plainText({ text, entities: linked }, { limit: 100_000, lines, breaks }).trimmedChars).toBe(0);
        },
      ),
    );
  });
});
