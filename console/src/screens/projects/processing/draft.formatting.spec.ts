import { editText, toggleFormat } from './draft.js';

const bold = { type: 'bold' as const, offset: 8, length: 4 };
const signature = { text: 'Harbour News 🌅 daily', entities: [bold] };

describe('editText', () => {
  it.each([
    ['The Harbour News 🌅 daily', [{ ...bold, offset: 12 }]],
    ['Harbour News 🌅 weekly', [bold]],
    ['Harbour 🌅 daily', []],
    ['Harbour News 🌄 daily', [bold]],
    ['', []],
    ['Harbour Daily News 🌅 daily', [{ ...bold, offset: 14 }]],
  ])('keeps formatting on its words: %s', (edited, entities) =>
    expect(editText(signature, edited)).toEqual({ text: edited, entities }),
  );
});

describe('toggleFormat', () => {
  it('formats a range, and takes the formatting away again', () => {
    const italic = toggleFormat(signature, 0, 7, 'italic');
    expect(italic.entities).toEqual([{ type: 'italic', offset: 0, length: 7 }, bold]);
    expect(toggleFormat(italic, 0, 7, 'italic')).toEqual(signature);
    expect(toggleFormat(signature, 9, 11, 'bold').entities).toEqual([]);
  });

  it('links a range', () =>
    expect(toggleFormat(signature, 0, 7, 'text_link', 'https://example.com').entities[0]).toEqual({
      type: 'text_link',
      offset: 0,
      length: 7,
      url: 'https://example.com',
    }));
});
