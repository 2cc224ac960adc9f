import { checkCuttingPattern, checkPattern, findLastMatch, matchesPattern } from './pattern.js';

describe('a pattern (D-28: RE2)', () => {
  it.each([
    'casino|b[e3]t',
    '(?i)sale',
    '(?i:sale)s?',
    '(?P<year>\\d{4})-(?<month>\\d\\d)',
    '^\\s*#\\w+\\z',
    '\\pL+\\p{Greek}',
    '[[:alpha:]_]+',
    '[(?=]',
    '\\(?=',
    'a{1,400}?',
    '\\Aad\\b',
    '[^\\d]',
    'a+?b*?',
    '\\Qa+b\\E',
    '🎈+',
  ])('accepts %s', (pattern) => expect(checkPattern(pattern)).toBeUndefined());

  it.each([
    ['(a)\\1', 'invalid escape sequence'],
    ['(?<a>x)\\k<a>', 'invalid escape sequence'],
    ['a(?=b)', 'Perl syntax'],
    ['a(?!b)', 'Perl syntax'],
    ['(?<=a)b', 'invalid named capture'],
    ['(?<!a)b', 'invalid named capture'],
    ['(?>a)', 'Perl syntax'],
    ['a++', 'nested repetition'],
    ['a{2}+', 'nested repetition'],
    ['(?#note)a', 'Perl syntax'],
    ['(?(1)a|b)', 'Perl syntax'],
    ['a\\Z', 'invalid escape sequence'],
    ['a{1001}', 'invalid repeat count'],
    ['(a{1000}){1000}', 'invalid repeat count'],
    ['(a', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['[a', 'missing closing ]'],
    ['*a', 'missing argument'],
    ['a\\', 'trailing backslash'],
    ['[z-a]', 'invalid character class range'],
  ])('rejects %s', (pattern, reason) => {
    expect(checkPattern(pattern)).toEqual({ code: 'bad_pattern', predicate: expect.stringContaining(reason) });
  });

  it.each([
    ['', 'empty'],
    ['a'.repeat(1_001), 'too_long'],
    ['a{1,600}', 'too_large'],
    [7, 'wrong_type'],
  ])('rejects %j', (pattern, code) => expect(checkPattern(pattern)).toMatchObject({ code }));

  it('matches anywhere, with case', () => {
    expect(matchesPattern('м.р', '🎈 привет, мир')).toBe(true);
    expect(matchesPattern('мир', 'МИР')).toBe(false);
    expect(matchesPattern('(?i)мир', 'МИР')).toBe(true);
    expect(matchesPattern('^мир', 'привет, мир')).toBe(false);
  });

  it('that is no longer valid differs from one without a match', () => {
    expect(matchesPattern('(a', 'a')).toBeNull();
    expect(findLastMatch('(a', 'a')).toBeNull();
  });

  it.each(['a*', '^', '(\\n#\\w+)*$'])('for cutting must not match the empty text, as %s does', (pattern) => {
    expect(checkPattern(pattern)).toBeUndefined();
    expect(checkCuttingPattern(pattern)?.code).toBe('empty');
  });
});

describe('the last match of a pattern', () => {
  it.each([
    ['#\\w+', 'a #b c #d e', 7],
    ['(\\n#\\w+)+$', 'text\n#a\n#b', 4],
    ['💥', '🎈💥🎈💥', 6],
    ['x', 'abc', null],
    ['\\b', 'abc', null],
  ])('%s in %j is %j', (pattern, text, place) => expect(findLastMatch(pattern, text)).toBe(place));

  it('is found among thousands of matches', () => {
    expect(findLastMatch('a', `${'a '.repeat(5_000)}b`)).toBe(9_998);
    // Each search for this pattern reads the rest of the text, so it must not be repeated for every match.
    expect(findLastMatch('.*x|a', 'a'.repeat(15_895))).toBe(15_894);
  });
});
