import { findMentionBreaks } from './render.js';

/** Returns the text with `·` at each break. */
const broken = (text: string): string =>
  findMentionBreaks(text)
    .toReversed()
    .reduce((shown, at) => `${shown.slice(0, at)}·${shown.slice(at)}`, text);

describe('mentionBreaks', () => {
  it.each([
    ['by [id1|Pavel]', 'by [·id1|Pavel]'],
    ['[https://vk.com/durov|him]', '[·https://vk.com/durov|him]'],
    ['@id1 (Pavel)', '@·id1 (Pavel)'],
    ['ask @durov.', 'ask @·durov.'],
    ['*id1 (x) *club2', '*·id1 (x) *·club2'],
    ['(@durov)', '(@·durov)'],
    ['**club5 and ***durov (him)', '**·club5 and ***·durov (him)'],
  ])('breaks between the sign and the name: %s', (text, expected) => {
    expect(broken(text)).toBe(expected);
  });

  it.each([
    'mail a@b.example',
    'https://medium.example/@name',
    'https://example.com/?q=@name',
    'a [note] and a [list, of|two]',
    'two * three (six)',
    '**bold** 5*5',
    '@ 5 pm',
  ])('ignores text that is not a mention: %s', (text) => {
    expect(broken(text)).toBe(text);
  });
});
