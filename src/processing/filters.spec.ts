import type { Filter } from '../domain/project/processing.js';
import { filterReason } from './filters.js';

const goes = (text: string, filters: readonly Filter[], platform = 'telegram') =>
  filterReason(text, filters, platform) === null;
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
  ])('finds "%s" in %j', (word, text) => expect(goes(text, excluding('nothing', word))).toBe(false));

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
  ])('does not find "%s" in %j: whole words alone', (word, text) => expect(goes(text, excluding(word))).toBe(true));

  it('says which filter found what', () => {
    const filters: Filter[] = [
      { mode: 'exclude', words: ['x'] },
      { mode: 'exclude', words: ['casino'], pattern: 'b[e3]t' },
    ];
    expect(filterReason('Best CASINO', filters, 'vk')).toEqual({
      code: 'filtered',
      message: 'The project keeps this post back: filter 2 (exclude) finds the word "casino".',
    });
    expect(filterReason('a b3t', filters, 'vk')?.message).toContain('filter 2 (exclude) finds the pattern "b[e3]t".');
  });

  it('counts on its networks alone', () => {
    const filters: Filter[] = [{ mode: 'exclude', words: ['sale'], platforms: ['vk', 'ok'] }];
    expect(['telegram', 'vk', 'max', 'ok'].map((platform) => goes('sale', filters, platform))).toEqual([
      ...[true, false, true, false],
    ]);
  });

  it('whose pattern is none any more keeps everything back, and says so', () => {
    expect(filterReason('fine', [{ mode: 'exclude', pattern: '(a' }], 'vk')?.message).toContain(
      'can no longer be read',
    );
  });
});

describe('include filters (D-28)', () => {
  const including: Filter[] = [
    { mode: 'include', words: ['news'] },
    { mode: 'include', pattern: '^#\\w+', platforms: ['telegram'] },
  ];

  it('let through what one of them matches', () => {
    expect(goes('The NEWS', including)).toBe(true);
    expect(goes('#tag first', including)).toBe(true);
  });

  it('keep the rest back, also what has no text', () => {
    expect(filterReason('other', including, 'telegram')?.message).toContain('none of 2 include filters matches');
    expect(filterReason('#tag first', including, 'vk')?.message).toContain('its include filter finds nothing');
    expect(goes('', including)).toBe(false);
  });

  it('do not save what an exclude filter matches, wherever it stands', () => {
    expect(goes('news of a casino', [...including, ...excluding('casino')])).toBe(false);
    expect(goes('news of a casino', [...excluding('casino'), ...including])).toBe(false);
  });
});

it('without filters everything goes', () => expect(goes('', [])).toBe(true));
