import { diffWords, type Piece } from './diff-words.js';

const show = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');

describe('the difference of two texts', () => {
  it.each([
    ['Boots for 9 roubles', 'Boots for 99 roubles', 'Boots for [9] roubles', 'Boots for [99] roubles'],
    ['Сапоги за 9 рублей', 'Новые сапоги за 9 рублей', '[Сапоги] за 9 рублей', '[Новые сапоги] за 9 рублей'],
    ['same', 'same', 'same', 'same'],
    ['', 'all new', '', '[all new]'],
    ['a b c d', 'a x c y d', 'a [b] c d', 'a [x] c[ y] d'],
  ])('of %j and %j marks words', (before, after, left, right) => {
    expect(diffWords(before, after).map(show)).toEqual([left, right]);
  });

  it('keeps every character of both texts', () => {
    const [before, after] = ['Crab, 5 a kilo!\n\nOpen — till 8 🌅', 'Crab: 7 a kilo!\nOpen — till 9 🌊 soon'];
    const pieces = diffWords(before, after).map((side) => side.map(({ text }) => text).join(''));
    expect(pieces).toEqual([before, after]);
  });

  it('marks the whole middle of texts that are too long to compare', () => {
    const words = (word: string): string => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join(' ');
    const [before] = diffWords(`same ${words('a')}`, `same ${words('b')}`);
    expect(before).toHaveLength(2);
  });
});
