import { message } from '../kernel/message.js';

/** Reasons why a project's filters keep a post off a network. */
export const FILTER_MESSAGES = {
  excluded: message('Filter {number} (exclude) of the project matches {match}: the post is not published here.'),
  notIncluded: 'The include filter of the project does not match: the post is not published here.',
  noneIncluded: message(
    'None of the {includes} include filters of the project matches: the post is not published here.',
  ),
  invalidPattern: message(
    'Filter {number} of the project has a pattern that is no longer valid: the post is not published here. Correct the pattern.',
  ),
  theWord: message('the word {word}'),
  thePattern: message('the pattern {pattern}'),
};

/** Problems with patterns in a project's `processing` (status 422), as predicates after the path of the field. */
export const PATTERN_MESSAGES = {
  empty: 'is empty, which would match everywhere: write a pattern',
  notRe2: message('is not a valid RE2 pattern: {reason}'),
  tooLarge: message('takes {steps} steps per character; at most {limit} are allowed: use fewer or shorter repetitions'),
  matchesEmptyText: 'matches the empty text, and therefore everywhere: require at least one character',
};

/** Warnings about processed text. */
export const PROCESSING_MESSAGES = {
  replacementsSkipped: message(
    'There are too many matches to apply every replacement: the last {rules} were skipped. Use fewer rules.',
  ),
  formattingLost: message('The translation lost {entities}: the words are published without formatting.'),
  originalPublished: message('{error} The original text is published.'),
  platformSays: message('{error} It says: {text}'),
  /** `edit_unsupported` */
  editUnsupported:
    'This network lets no program edit a post. Edit it there by hand, or take the post back and send a new one.',
};

/** Reasons for a failed translation: code `translation_failed`. */
export const TRANSLATION_MESSAGES = {
  apiKeyErased: 'The API key of the translation service was erased: set a new one.',
  unreachable: message('The translation service {problem}.'),
  answeredStatus: message('The translation service returned HTTP {status}.'),
  noTranslation: 'The translation service returned no translation.',
  unreadableMarkup: 'The translation service returned markup that cannot be parsed.',
  tooLong: 'The translation service returned text that is too long.',
  invisible: 'The translation service returned text without visible characters.',
  paused: 'The translation service has repeatedly failed to answer, so it was not called for this text.',
};
