import fc from 'fast-check';
import { LIMITS } from '../payload/payload.js';
import { parseJsonBody } from './json-body.js';
import type { Problem } from './problem-list.js';

const parse = (body: string | readonly number[]) =>
  parseJsonBody(typeof body === 'string' ? Buffer.from(body) : Buffer.from(body));
const problemsOf = (body: string | readonly number[]): readonly Problem[] => {
  const result = parse(body);
  return result.ok ? [] : result.problems;
};
const found = (body: string) => problemsOf(body).map(({ path, code }) => `${path} ${code}`);

describe('parseJsonBody', () => {
  it('returns the value', () => {
    const body = ' {"text": "h\\u00e9\\ud83d\\ude00", "n": [-0.5e-3, true, false, null, {}, []]}\r\n\t';
    expect(parse(body)).toEqual({ ok: true, value: JSON.parse(body) as unknown });
  });

  it.each([
    ['nothing', [], 'empty_body'],
    ['white space', [0x20, 0x0a, 0x0d, 0x09], 'empty_body'],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], 'byte_order_mark'],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00], 'not_utf8'],
    ['an overlong encoding', [0x22, 0xc0, 0xaf, 0x22], 'not_utf8'],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22], 'not_utf8'],
    ['half a character at the end', [0x22, 0xf0, 0x9f, 0x98], 'not_utf8'],
  ])('refuses %s', (_, body, code) => {
    expect(problemsOf(body)).toEqual([{ path: '', code, message: expect.stringMatching(/^the body .*(:|send)/) }]);
  });

  it('accepts 5 MB and not a byte more', () => {
    const body = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
    expect(found(body(LIMITS.payloadBytes))).toEqual([]);
    expect(problemsOf(body(LIMITS.payloadBytes + 1))).toEqual([
      {
        path: '',
        code: 'body_too_large',
        message: 'the body has 5,242,881 bytes; at most 5,242,880 are allowed: shorten it',
      },
    ]);
  });
});

describe('a syntax error is described with its place', () => {
  const open = 'expected a key in double quotes or "}"';
  it.each([
    ['{"a": undefined}', '1, column 7: expected a value, found "undefined": JSON has no such value; use null'],
    ['{"a": NaN}', '1, column 7: expected a value, found "NaN": JSON has no such value; use null'],
    ['{"a": True}', '1, column 7: expected a value, found "True": write true, false or null'],
    ['{\n  "a": 1,\n}', '3, column 1: trailing comma before the closing bracket'],
    ['[1,]', '1, column 4: trailing comma before the closing bracket'],
    ['[1 2]', '1, column 4: expected "," or "]", found "2"'],
    ['{"a":1 "b":2}', '1, column 8: expected "," or "}", found "\\""'],
    ['{"a" 1}', '1, column 6: expected ":" after the key, found "1"'],
    ['{"a"', '1, column 5: expected ":" after the key, found the end of the body'],
    ["{'a': 1}", `1, column 2: ${open}, found "'": put strings and keys in double quotes`],
    ['{a: 1}', `1, column 2: ${open}, found "a": put strings and keys in double quotes`],
    ['{"a":1, b:2}', '1, column 9: expected a key in double quotes, found "b": put strings and keys in double quotes'],
    ['{,}', `1, column 2: ${open}, found ","`],
    ['// hi\n{}', '1, column 1: expected a value, found "/": remove the comment, JSON has none'],
    ['{"привет😀": ]', '1, column 13: expected a value, found "]"'],
    ['{} {}', '1, column 4: expected the end of the body, found "{"'],
    ['"a\nb"', '1, column 3: the string contains a line break: write it as \\n'],
    ['"a\u0001b"', '1, column 3: the string contains "\\u0001": write it as \\u0001'],
    [
      '"C:\\path"',
      '1, column 5: the string contains a backslash before "path", which is not a valid escape: write \\\\ for a backslash',
    ],
    [
      '"\\u12g4"',
      '1, column 3: the string contains a backslash before "u12g4", which is not a valid escape: \\u must be followed by four hexadecimal digits',
    ],
    [
      '"\\u12',
      '1, column 3: the string contains a backslash before "u12", which is not a valid escape: \\u must be followed by four hexadecimal digits',
    ],
    ['{"text": "abc', '1, column 10: this string has no closing quote'],
    ['"abc\\', '1, column 1: this string has no closing quote'],
    ['[01]', '1, column 3: the number begins with 0: remove the 0'],
    ['[-]', '1, column 3: expected a digit, found "]"'],
    ['[1.]', '1, column 4: expected a digit, found "]"'],
    ['[1e+]', '1, column 5: expected a digit, found "]"'],
    ['[.5]', '1, column 2: expected a value, found ".5"'],
    ['[+1]', '1, column 2: expected a value, found "+1"'],
    ['nul', '1, column 1: expected a value, found "nul": put strings and keys in double quotes'],
    ['truex', '1, column 5: expected the end of the body, found "x": put strings and keys in double quotes'],
    ['[', '1, column 2: expected a value, found the end of the body'],
    ['\u00a0{}', '1, column 1: expected a value, found "\u00a0"'],
  ])('%j', (body, message) => {
    expect(problemsOf(body)).toEqual([
      { path: '', code: 'not_json', message: `the body is not JSON: line ${message}` },
    ]);
  });

  it('shortens a long word', () => {
    const [problem] = problemsOf(`[${'x'.repeat(1_000_000)}]`);
    expect(problem?.message.length).toBeLessThan(200);
  });
});

describe('JSON that is refused all the same (D-43)', () => {
  it('more than 32 nested containers', () => {
    const nested = (depth: number) => '['.repeat(depth - 1) + '{}' + ']'.repeat(depth - 1);
    expect(found(nested(32))).toEqual([]);
    expect(found(nested(33))).toEqual([' too_deep']);
    expect(found(`[${'[[]],'.repeat(1_000)}0]`)).toEqual([]);
    expect(found('['.repeat(2_500_000))).toEqual([' too_deep']);
    expect(found('{"a":'.repeat(500_000))).toEqual([' too_deep']);
  });

  it('more than 50,000 members and elements in all', () => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join()}}`;
    expect(found(members(50_000))).toEqual([]);
    expect(found(members(50_001))).toEqual([' too_many_members']);
    expect(found(members(400_000))).toEqual([' too_many_members']);
    expect(found(`[${'0,'.repeat(49_999)}0]`)).toEqual([]);
    expect(found(`[${'0,'.repeat(49_999)}{}, 0]`)).toEqual([' too_many_members']);
    expect(found(`[${'{"a":0},'.repeat(25_000)}0]`)).toEqual([' too_many_members']);
  });

  it.each([3, 15, 29])('the %ith of thirty keys repeated, with few or many keys', (n) => {
    const members = Array.from({ length: 30 }, (_, i) => `"k${i + 1}": ${i}`);
    expect(problemsOf(`{${members.join(', ')}}`)).toEqual([]);
    expect(problemsOf(`{${[...members, `"k${n}": 0`].join(', ')}}`)).toEqual([
      { path: '', code: 'duplicate_key', message: `the body has the key "k${n}" twice: remove one of them` },
    ]);
  });

  it('a duplicate key, in whatever spelling, with the path of its object', () => {
    expect(problemsOf('{"a":1,"b":{"a":1},"a":2}')).toEqual([
      { path: '', code: 'duplicate_key', message: 'the body has the key "a" twice: remove one of them' },
    ]);
    expect(found('{"m":{"list":[0,{"a":1,"\\u0061":2}]}}')).toEqual(['m.list[1] duplicate_key']);
    expect(found('{"m":{"a b":{"\\ud83d\\ude00":1,"😀":2}}}')).toEqual(['m["a b"] duplicate_key']);
    expect(found('{"\\"":1,"\\u0022":2}')).toEqual([' duplicate_key']);
    expect(found('{"constructor":1,"toString":1,"hasOwnProperty":1,"":1,"0":1,"00":1}')).toEqual([]);
    expect(found('[{"a":1},{"a":1}]')).toEqual([]);
  });

  it('keys that reach prototypes', () => {
    expect(found('{"metadata":{"__proto__":{"admin":true}}}')).toEqual(['metadata forbidden_key']);
    expect(found('{"\\u005f_proto__":1}')).toEqual([' forbidden_key']);
    expect(found('{"constructor":{"prototype":{}}}')).toEqual(['constructor forbidden_key']);
    expect(found('{"constructor":"Ferrari","prototype":"P1","a":["__proto__"]}')).toEqual([]);
    expect(found('{"constructor":[{"prototype":1}]}')).toEqual([]);
  });

  it.each([
    ['{"text":"\\ud83d"}', 'text lone_surrogate'],
    ['{"text":"a\\ude00b"}', 'text lone_surrogate'],
    ['{"text":"\\ud83d\\ud83d\\ude00"}', 'text lone_surrogate'],
    ['{"text":"\\ude00\\ude00"}', 'text lone_surrogate'],
    ['{"text":"\\ud83dx\\ude00"}', 'text lone_surrogate'],
    ['{"text":"\\ud83d\\n"}', 'text lone_surrogate'],
    ['{"m":{"a":[1,{"\\uDC00":1}]}}', 'm.a[1] lone_surrogate'],
    ['["\\uD83D\\uDE00\\ud83d"]', '[0] lone_surrogate'],
    ['"\\ud800"', ' lone_surrogate'],
    ['{"text":"a\\u0000b"}', 'text null_character'],
    ['{"n":[0,1e309]}', 'n[1] number_too_large'],
    ['{"n":-1e400}', 'n number_too_large'],
    [`{"n":${'9'.repeat(400)}}`, 'n number_too_large'],
    ['{"metadata":{"id":9007199254740993}}', 'metadata.id number_inexact'],
    ['{"m":[0,-9007199254740993]}', 'm[1] number_inexact'],
    ['[1234567890123456789]', '[0] number_inexact'],
    ['[1000000000000000000000]', '[0] number_inexact'],
  ])('half characters, null characters and numbers that no double holds: %s', (body, expected) => {
    expect(found(body)).toEqual([expected]);
  });

  it('accepts whole characters, escaped backslashes and large numbers', () => {
    expect(found('{"a":"\\ud83d\\ude00","b":"\\\\ud83d","c":1.7976931348623157e308,"d":"\\u0001"}')).toEqual([]);
  });

  it('gives a correction for an integer that would lose digits', () => {
    expect(problemsOf('{"metadata":{"id":9007199254740993}}')).toEqual([
      {
        path: 'metadata.id',
        code: 'number_inexact',
        message: 'metadata.id is an integer that would lose digits: send it as a string',
      },
    ]);
  });

  it.each([
    '0',
    '-0',
    '9007199254740991',
    '-9007199254740992',
    '9007199254740994',
    '123456789012345680000',
    '1234567890123456789.0',
    '0.12345678901234567890',
    '9007199254740993e0',
  ])('accepts a number that keeps its digits or has an exponent: %s', (number) => {
    expect(found(`{"n":${number}}`)).toEqual([]);
  });

  it('accepts exactly the integers that JavaScript prints unchanged', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 23n), max: 10n ** 23n }), fc.nat(22), (integer, fewer) => {
        const literal = String(integer / 10n ** BigInt(fewer));
        expect(found(literal)).toEqual(String(Number(literal)) === literal ? [] : [' number_inexact']);
      }),
      { seed: 43, numRuns: 5_000 },
    );
  });

  it('reports all problems at once, at most fifty, syntax errors included', () => {
    expect(found('{"a":"\\ud800","a":"\\u0000","b":{"__proto__":')).toEqual([
      'a lone_surrogate',
      ' duplicate_key',
      'a null_character',
      'b forbidden_key',
      ' not_json',
    ]);
    expect(found(`[${'"\\ud800",'.repeat(1_000)}0]`)).toHaveLength(50);
  });
});

describe('agrees with JSON.parse', () => {
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const beyondGrammar = new Set([
    'duplicate_key',
    'forbidden_key',
    'lone_surrogate',
    'null_character',
    'number_too_large',
    'number_inexact',
  ]);
  const agrees = (text: string) => {
    const codes = problemsOf(text).map(({ code }) => code);
    const isJson = codes.every((code) => beyondGrammar.has(code));
    expect({ text, isJson }).toEqual({ text, isJson: parses(text) });
    if (codes.length === 0) expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  };
  const GRAMMAR = [
    ...'{}[]:,"\\/u0019-+.eEtfn \n\u0001x',
    'true',
    'null',
    '"a"',
    '\\u',
    'd83d',
    '{"b":',
    '1.5e3',
    '"\\ud83d\\ude00"',
  ];

  it('for text made from the grammar', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...GRAMMAR), { maxLength: 12 }).map((parts) => parts.join('')),
        agrees,
      ),
      { seed: 43, numRuns: 20_000 },
    );
  });

  it('for JSON with a few characters changed', () => {
    const mutated = fc
      .tuple(fc.json(), fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...GRAMMAR)), { maxLength: 3 }))
      .map(([json, changes]) =>
        changes.reduce((text, [at, removed, inserted]) => {
          const place = at % (text.length + 1);
          return text.slice(0, place) + inserted + text.slice(place + removed);
        }, json),
      )
      // A mutation may have split a surrogate pair, which UTF-8 cannot express.
      .map((text) => Buffer.from(text).toString());
    fc.assert(fc.property(mutated, agrees), { seed: 43, numRuns: 3_000 });
  });

  it('and never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const result = parseJsonBody(Buffer.from(bytes));
        if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
      }),
      { seed: 43, numRuns: 2_000 },
    );
  });
});
