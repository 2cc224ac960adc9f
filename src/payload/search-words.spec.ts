import { wordsOf, wordsOfPost } from './search-words.js';

describe('the words of a text', () => {
  it.each([
    ['Ёлка, ёлка и ЕЛКА!', ['елка', 'и']],
    ['50% off_season "quoted" O’Neil', ['50', 'off', 'season', 'quoted', 'o', 'neil']],
    ['https://example.com/a?b=1', ['https', 'example', 'com', 'a', 'b', '1']],
    ['и\u0306од', ['йод']],
    ['①ﬁx 𝔘𝔫𝔦', ['1fix', 'uni']],
    ["' & ! | ( ) :* <-> \\ \0", []],
    ['\ud83d half', ['half']],
    ['', []],
  ])('%j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are cut if they are very long, between characters', () => {
    expect(wordsOf('x'.repeat(5_000))).toEqual(['x'.repeat(64)]);
    expect(wordsOf(`x${'𠀀'.repeat(100)}`)).toEqual([`x${'𠀀'.repeat(31)}`]);
  });
});

describe('the words of a post', () => {
  it('are those of its text and of the texts that replace it', () => {
    const overrides = { vk: { text: 'Only here' }, max: { media: [] } };
    expect(wordsOfPost({ text: 'Here and there', overrides })).toEqual(['here', 'and', 'there', 'only']);
    expect(wordsOfPost({ media: [] })).toEqual([]);
  });

  it('are at most 2,000', () => {
    const text = Array.from({ length: 3_000 }, (_, n) => n).join(' ');
    expect(wordsOfPost({ text })).toHaveLength(2_000);
  });

  it('are not known of a payload that is stored in parts', () => {
    expect(wordsOfPost(null)).toEqual([]);
  });
});
