import type { Filter } from '../domain/project/processing.js';
import { findFilterReason } from './filters.js';

const passes = (text: string, filters: readonly Filter[], platform = 'telegram') =>
  findFilterReason(text, filters, platform) === null;
const excluding = (...words: string[]): Filter[] => [{ mode: 'exclude', words }];

describe('an exclude filter (D-28)', () => {
  it.each([
    ['sale', 'A SALE today'],
    ['sale', 'sale'],
    ['sale', 'Big-sale!'],
    ['Распродажа', 'наша рАСПРОДАЖА.'],
    ['straße', 'in der STRASSE'],
    ['ΟΔΟΣ', 'η οδος μου'],
    ['black friday', 'Black\n  FRIDAY is here'],
    ['#sale', 'x#SALE'],
    ['50%', 'до 50%!'],
    ['🔥', 'hot🔥hot'],
    ['caf\u00e9', 'our CAFE\u0301 opens'],
    ["don't", "I DON'T"],
    ['a.b', 'see a.b now'],
  ])('finds "%s" in %j', (word, text) => expect(passes(text, excluding('nothing', word))).toBe(false));

  it.each([
    ['sale', 'wholesale'],
    ['sale', 'sales'],
    ['sale', 'sale_1'],
    ['дом', 'домик'],
    ['cafe', 'caf\u00e9'],
    ['cafe', 'cafe\u0301'],
    ['a.b', 'axb'],
    ['می', 'می\u200cخواهم'],
    ['#sale', '#sales'],
  ])('does not find "%s" in %j: only whole words', (word, text) => expect(passes(text, excluding(word))).toBe(true));

  it('names the filter and its match', () => {
    const filters: Filter[] = [
      { mode: 'exclude', words: ['x'] },
      { mode: 'exclude', words: ['casino'], pattern: 'b[e3]t' },
    ];
    expect(findFilterReason('Best CASINO', filters, 'vk')).toEqual({
      code: 'filtered',
      message: 'Filter 2 (exclude) of the project matches the word "casino": the post is not published here.',
    });
    expect(findFilterReason('a b3t', filters, 'vk')?.message).toContain(
      'Filter 2 (exclude) of the project matches the pattern "b[e3]t": the post is not published here.',
    );
  });

  it('applies to its networks only', () => {
    const filters: Filter[] = [{ mode: 'exclude', words: ['sale'], platforms: ['vk', 'ok'] }];
    expect(['telegram', 'vk', 'max', 'ok'].map((platform) => passes('sale', filters, platform))).toEqual([
      ...[true, false, true, false],
    ]);
  });

  it('with a pattern that is no longer valid keeps everything back, and says so', () => {
    expect(findFilterReason('fine', [{ mode: 'exclude', pattern: '(a' }], 'vk')?.message).toContain(
      'is no longer valid',
    );
  });
});

describe('include filters (D-28)', () => {
  const including: Filter[] = [
    { mode: 'include', words: ['news'] },
    { mode: 'include', pattern: '^#\\w+', platforms: ['telegram'] },
  ];

  it('pass a text that one of them matches', () => {
    expect(passes('The NEWS', including)).toBe(true);
    expect(passes('#tag first', including)).toBe(true);
  });

  it('keep every other text back, also an empty one', () => {
    expect(findFilterReason('other', including, 'telegram')?.message).toContain('None of the 2 include filters');
    expect(findFilterReason('#tag first', including, 'vk')?.message).toContain(
      'The include filter of the project does not match',
    );
    expect(passes('', including)).toBe(false);
  });

  it('do not pass a text that an exclude filter matches, in any order', () => {
    expect(passes('news of a casino', [...including, ...excluding('casino')])).toBe(false);
    expect(passes('news of a casino', [...excluding('casino'), ...including])).toBe(false);
  });
});

it('passes everything without filters', () => expect(passes('', [])).toBe(true));
