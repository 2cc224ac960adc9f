/**
 * Enforces the project's wording rules: a docstring names its subject or starts with a verb, and words that make
 * sentences hard to read for newcomers are not used at all, in prose or in names.
 */

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

/**
 * Openers that make a docstring a free relative clause instead of a statement. "How long" and "Whether" describe
 * values.
 */
const OPENERS = 'What|Whatever|Who|Whom|Whose|Whoever|However|Where|Wherever|When|Whenever|Why|Which|Whichever';

const banned = new RegExp(
  `(?<![\\p{L}\\d])(?:${BANNED.join('|').replaceAll(' ', '[\\s*/#>-]+')})(?![\\p{L}\\d])`,
  'giu',
);
const opener = new RegExp(`^\\*[\\s*]*(?:${OPENERS})\\b`);

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

/** Reports a block comment's text (without its delimiters) that opens with a free relative clause. */
export const opensWithRelative = (comment) => opener.test(comment);

/** @type {import('eslint').Rule.RuleModule} */
const rule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opener: 'Begin with the subject or a verb ("Returns …", "A lease …"), not with "{{word}}".',
      banned: '"{{word}}" has a plainer alternative: name who does what.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      Program() {
        for (const comment of sourceCode.getAllComments()) {
          if (comment.type !== 'Block' || !opensWithRelative(comment.value)) continue;
          const word = /\w+/.exec(comment.value)[0];
          context.report({ loc: comment.loc, messageId: 'opener', data: { word } });
        }
        for (const { word, index } of bannedWords(sourceCode.text)) {
          const start = sourceCode.getLocFromIndex(index);
          context.report({ loc: { start, end: start }, messageId: 'banned', data: { word } });
        }
      },
    };
  },
};

export default { rules: { 'plain-words': rule } };
