import { asSentence, countOf, message, oneOf } from './message.js';

describe('message', () => {
  const tooLong = message('is {length} long; at most {limit} are allowed: shorten it by {excess}');

  it('puts values in the places of their names, in any order', () => {
    expect(tooLong({ excess: 2, limit: '10', length: 12 })).toBe('is 12 long; at most 10 are allowed: shorten it by 2');
    expect(message('{a}{b}{a}')({ a: 'x', b: 'y' })).toBe('xyx');
  });

  it('leaves braces in values as they are', () => {
    expect(message('must be an array of {of}')({ of: 'objects like {"id": "tgt_…"}' })).toBe(
      'must be an array of objects like {"id": "tgt_…"}',
    );
  });

  it('refuses missing and superfluous values when it is compiled', () => {
    // @ts-expect-error limit is missing
    const lacking = () => tooLong({ length: 12, excess: 2 });
    // @ts-expect-error extra is not a placeholder
    const superfluous = () => tooLong({ length: 12, limit: 10, excess: 2, extra: 1 });
    expect([lacking, superfluous]).toHaveLength(2);
  });
});

it('formats counts and alternatives', () => {
  expect([countOf(1, 'post'), countOf(1_200, 'post'), countOf(2, 'query', 'queries')]).toEqual([
    '1 post',
    '1,200 posts',
    '2 queries',
  ]);
  expect([oneOf([]), oneOf(['a']), oneOf(['a', 'b']), oneOf(['a', 'b', 'c'])]).toEqual([
    '',
    'a',
    'a or b',
    'a, b or c',
  ]);
});

it('ends sentences', () => {
  expect([asSentence('a'), asSentence('b.'), asSentence('c?')]).toEqual(['a.', 'b.', 'c?']);
});
