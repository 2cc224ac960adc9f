import { Linter } from 'eslint';
import plugin, { bannedWords } from './plain-words.js';

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

it('ESLint reports them with their positions', () => {
  const code = '/** Who holds it. */\nconst told = 1;\n';
  const messages = new Linter().verify(code, [{ plugins: { local: plugin }, rules: { 'local/plain-words': 'error' } }]);
  expect(messages.map(({ line, column, messageId }) => [line, column, messageId])).toEqual([[2, 7, 'banned']]);
});
