import { cuttingPatternComplaint, findPattern, lastMatch, patternComplaint } from './pattern.js';

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
  ])('may be %s', (pattern) => expect(patternComplaint(pattern)).toBeUndefined());

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
  ])('may not be %s', (pattern, why) => {
    expect(patternComplaint(pattern)).toEqual({ code: 'bad_pattern', what: expect.stringContaining(why) });
  });

  it.each([
    ['', 'empty'],
    ['a'.repeat(1_001), 'too_long'],
    ['a{1,600}', 'too_large'],
    [7, 'wrong_type'],
  ])('may not be %j', (pattern, code) => expect(patternComplaint(pattern)).toMatchObject({ code }));

  it('is found anywhere, as it is written', () => {
    expect(findPattern('м.р', '🎈 привет, мир')).toBe(true);
    expect(findPattern('мир', 'МИР')).toBe(false);
    expect(findPattern('(?i)мир', 'МИР')).toBe(true);
    expect(findPattern('^мир', 'привет, мир')).toBe(false);
  });

  it('that is none any more is told apart from one that finds nothing', () => {
    expect(findPattern('(a', 'a')).toBeNull();
    expect(lastMatch('(a', 'a')).toBeNull();
  });

  it.each(['a*', '^', '(\\n#\\w+)*$'])('that is cut out may not match nothing, as %s does', (pattern) => {
    expect(patternComplaint(pattern)).toBeUndefined();
    expect(cuttingPatternComplaint(pattern)?.code).toBe('empty');
  });
});

describe('the last place of a pattern', () => {
  it.each([
    ['#\\w+', 'a #b c #d e', 7],
    ['(\\n#\\w+)+$', 'text\n#a\n#b', 4],
    ['💥', '🎈💥🎈💥', 6],
    ['x', 'abc', null],
    ['\\b', 'abc', null],
  ])('%s in %j is %j', (pattern, text, place) => expect(lastMatch(pattern, text)).toBe(place));

  it('is the last one too where there are thousands', () => {
    expect(lastMatch('a', `${'a '.repeat(5_000)}b`)).toBe(9_998);
    // Each search of this one reads the rest of the text: it may not do so for every match.
    expect(lastMatch('.*x|a', 'a'.repeat(15_895))).toBe(15_894);
  });
});
