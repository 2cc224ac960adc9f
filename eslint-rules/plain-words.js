/** Refuses words that make sentences hard to read for newcomers, in prose and in names. */

/** Words and phrases with a plainer alternative. They are matched ignoring case, also inside camelCase names. */
const BANNED = [
  'nobody',
  'somebody',
  'whoever',
  'whomever',
  'told',
  'anew',
  'surely',
  'thereby',
  'whence',
  'whither',
  'as it were',
  'in hand',
  'of our own',
  'behind our back',
  'lets? in',
  'let in',
  'goes out by the door',
];

const banned = new RegExp(
  `(?<![\\p{L}\\d])(?:${BANNED.join('|').replaceAll(' ', '[\\s*/#>-]+')})(?![\\p{L}\\d])`,
  'giu',
);

/** Separates the words of camelCase names without changing the number of characters, so that positions stay correct. */
const splitNames = (text) => text.replace(/(?<=[a-z\d])(?=[A-Z])/g, '\u0000').replace(/_/g, ' ');

/**
 * Finds banned words in a text, in prose and in names.
 * @returns {{ word: string, index: number }[]} index: UTF-16 units from the start
 */
export const bannedWords = (text) => {
  const split = splitNames(text);
  const found = [];
  for (const match of split.matchAll(new RegExp(banned.source.replaceAll('[\\s', '[\\0\\s'), banned.flags))) {
    const inserted = split.slice(0, match.index).split('\u0000').length - 1;
    found.push({ word: match[0].replaceAll(/[\0\s*]+/g, ' '), index: match.index - inserted });
  }
  return found;
};

/** @type {import('eslint').Rule.RuleModule} */
const rule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      banned: '"{{word}}" has a plainer alternative: name who does what.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      Program() {
        for (const { word, index } of bannedWords(sourceCode.text)) {
          const start = sourceCode.getLocFromIndex(index);
          context.report({ loc: { start, end: start }, messageId: 'banned', data: { word } });
        }
      },
    };
  },
};

export default { rules: { 'plain-words': rule } };
