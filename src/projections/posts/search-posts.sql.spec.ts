import { toQuery } from './search-posts.sql.js';

const word = (typed: string, russian: string | null = typed, english: string | null = russian) => ({
  word: typed,
  russian,
  english,
});

describe('a query for words', () => {
  it.each([
    ['one word with its stem', [word('регату', 'регат', 'регату')], "('регат':*)"],
    ['a beginning that has another stem', [word('cities', 'cities', 'citi')], "('citi':* | 'city':*)"],
    ['a singular whose stem changes', [word('city', 'city', 'citi')], "('city':* | 'citi':*)"],
    ['all of several words', [word('red'), word('lamp')], "('red':*) & ('lamp':*)"],
    ['a short word, which finds itself alone', [word('10'), word('ha')], "('10') & ('ha')"],
    ['a word with a short stem', [word('ели', 'ел', 'ели')], "('ели':*)"],
    ['what is left without frequent words', [word('the', 'the', null), word('lamp')], "('lamp':*)"],
    ['frequent words alone', [word('и', null, 'и'), word('the', 'the', null)], "('и') & ('the':*)"],
  ])('finds %s', (_, words, query) => {
    expect(toQuery(words, null)).toBe(query);
    expect(toQuery(words, 'own_1')).toBe(`'own_1' & ${query}`);
  });
});
