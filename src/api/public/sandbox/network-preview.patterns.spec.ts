import { PreviewBudget } from '../../../limits/budgets.js';
import { findLastMatch, matchesPattern, type PatternQuestion } from '../../../processing/pattern.js';
import { PreviewPatterns, PreviewSearch } from './network-preview.js';

const SLOW = '(?:[ab]{0,30}){16}[cd]';
const TEXT = Array.from({ length: 4_000 }, (_, n) => ((n * n) % 7 < 3 ? 'a' : 'b')).join('');

class Refused extends Error {}
const payer = { ownerId: 'own_1', reject: () => new Refused() };

describe('patterns of previews', () => {
  const budget = new PreviewBudget({ previewMsPerMinute: 4 });
  const patterns = new PreviewPatterns(budget);
  afterAll(() => patterns.onModuleDestroy());

  it('are searched in a helper process, whose time the owner pays', async () => {
    const search = patterns.open(payer);
    const footer = { pattern: '(?:[ab]{0,30}){15}a' };
    const filters = [{ mode: 'exclude', pattern: SLOW }] as const;
    // This thread keeps running. The search would block it for more than a tenth of a second.
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    await search.searchAhead(TEXT, { filters }, 'telegram');
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
    expect(search.matches(SLOW, TEXT)).toBe(matchesPattern(SLOW, TEXT));
    await expect(search.searchAhead(TEXT, { footer }, 'telegram')).rejects.toBeInstanceOf(Refused);
    // A repeated question is not charged again.
    await search.searchAhead(TEXT, { filters }, 'vk');
  });

  it('are found as the thread finds them', async () => {
    const search = new PreviewPatterns(new PreviewBudget({ previewMsPerMinute: null }));
    const opened = search.open(payer);
    for (const pattern of ['b{3}', 'x', '(?:a|b){900}b', 'a$']) {
      await opened.searchAhead(TEXT, { filters: [{ mode: 'include', pattern }], footer: { pattern } }, 'vk');
      expect(opened.matches(pattern, TEXT)).toBe(matchesPattern(pattern, TEXT));
      expect(opened.findLast(pattern, TEXT)).toBe(findLastMatch(pattern, TEXT));
    }
    search.onModuleDestroy();
  });

  it('are asked for once in each text, no further than the filters are looked at, and quick ones not at all', async () => {
    const asked: PatternQuestion[] = [];
    const search = new PreviewSearch(async (question) => {
      asked.push(question);
      return { found: question.isLast ? 7 : true, tookMs: 1 };
    });
    const filters = [
      { mode: 'exclude', pattern: 'quick' },
      { mode: 'exclude', pattern: `${SLOW}1`, platforms: ['vk'] },
      { mode: 'include', pattern: `${SLOW}2` },
      { mode: 'exclude', pattern: `${SLOW}3` },
      { mode: 'exclude', pattern: `${SLOW}4` },
    ] as const;
    const processing = { filters, footer: { pattern: `${SLOW}5` } };
    await Promise.all([1, 2].map(() => search.searchAhead(TEXT, processing, 'telegram')));
    await search.searchAhead(TEXT, { footer: processing.footer }, 'telegram');
    expect(asked.map(({ pattern, isLast }) => [pattern.at(-1), isLast])).toEqual([
      ['2', false],
      ['3', false],
      ['5', true],
    ]);
    expect([search.matches(`${SLOW}2`, TEXT), search.findLast(`${SLOW}5`, TEXT)]).toEqual([true, 7]);
    expect(search.matches('quick', TEXT)).toBe(false);
  });
});
