import { Linter } from 'eslint';
import plugin, { bannedWords, opensWithRelative } from './plain-words.js';

const wordsIn = (text: string): string[] => bannedWords(text).map(({ word }) => word.toLowerCase());

describe('words with a plainer alternative', () => {
  it.each([
    ['// Nobody waits for it.', ['nobody']],
    ['const isToldAbout = 1;', ['told']],
    ['/** is asked\n * as it were */', ['as it were']],
    ["expect('read anew')", ['anew']],
    ['const SURELY_DONE = true;', ['surely']],
    ['the gate lets in what', ['lets in']],
  ])('are found in %j', (text, expected) => {
    expect(wordsIn(text)).toEqual(expected);
  });

  it.each(['a toldo', 'the renewal', 'measurely', 'outlets include', 'the handle'])('are not found in %j', (text) => {
    expect(wordsIn(text)).toEqual([]);
  });

  it('are reported at their place, also behind camelCase names', () => {
    const text = 'const someLongName = 1; // told';
    expect(bannedWords(text)).toEqual([{ word: 'told', index: text.indexOf('told') }]);
  });
});

describe('the first sentence of a docstring', () => {
  it.each(['* What a lease is. ', '*\n * Where it is.\n ', '* Why, in a sentence. '])(
    'may not open as %j does',
    (comment) => {
      expect(opensWithRelative(comment)).toBe(true);
    },
  );

  it.each([
    '* Returns what was sent. ',
    '* A lease. ',
    '* How long a lease lasts, in ms. ',
    '* Whether it holds. ',
    ' What an ordinary comment says ',
    '* Whatsapp is no network here. ',
  ])('may open as %j does', (comment) => {
    expect(opensWithRelative(comment)).toBe(false);
  });
});

it('ESLint reports both with their positions', () => {
  const code = '/** Who holds it. */\nconst told = 1;\n';
  const messages = new Linter().verify(code, [{ plugins: { local: plugin }, rules: { 'local/plain-words': 'error' } }]);
  expect(messages.map(({ line, messageId }) => [line, messageId])).toEqual([
    [1, 'opener'],
    [2, 'banned'],
  ]);
});
