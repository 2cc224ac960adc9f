import { patternComplaint } from './re2-pattern.js';

describe('a pattern', () => {
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
    'a{1,1000}?',
    '\\Aad\\b',
    '[^\\d]',
    'a+?b*?',
  ])('may be %s', (pattern) => expect(patternComplaint(pattern)).toBeUndefined());

  it.each([
    ['(a)\\1', 'refers back'],
    ['(?<a>x)\\k<a>', 'refers back'],
    ['a(?=b)', 'looks ahead'],
    ['a(?!b)', 'looks ahead'],
    ['(?<=a)b', 'looks ahead or behind'],
    ['(?<!a)b', 'looks ahead or behind'],
    ['(?>a)', 'atomic'],
    ['a++', 'possessive'],
    ['a{2}+', 'possessive'],
    ['(?#note)a', 'comment'],
    ['(?(1)a|b)', 'condition'],
    ['a\\Z', 'escape'],
    ['a{1001}', 'more than 1000'],
    ['a{1,1001}', 'more than 1000'],
    ['(a', 'does not parse'],
    ['a)', 'does not parse'],
    ['[a', 'does not parse'],
    ['*a', 'does not parse'],
    ['a\\', 'does not parse'],
    ['[z-a]', 'does not parse'],
  ])('may not be %s', (pattern, why) => {
    expect(patternComplaint(pattern)).toMatchObject({ code: 'bad_pattern', what: expect.stringContaining(why) });
  });

  it.each([
    ['', 'empty'],
    ['a'.repeat(1_001), 'too_long'],
    [7, 'wrong_type'],
  ])('may not be %j', (pattern, code) => expect(patternComplaint(pattern)).toMatchObject({ code }));
});
