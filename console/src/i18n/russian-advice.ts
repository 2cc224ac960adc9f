import { MAX_ERRORS } from '../../../src/platforms/max/errors.js';
import { OK_ERRORS } from '../../../src/platforms/ok/errors.js';
import { TELEGRAM_ERRORS } from '../../../src/platforms/telegram/errors.js';
import { VK_ERRORS } from '../../../src/platforms/vk/errors.js';
import { TRANSLATION_ERRORS } from '../../../src/processing/translation/errors.js';

/** The gateway's English advice about the networks' errors, with its Russian wording. */
export const RUSSIAN_ADVICE: ReadonlyMap<string, string> = new Map(
  [...TELEGRAM_ERRORS, ...VK_ERRORS, ...MAX_ERRORS, ...OK_ERRORS, ...TRANSLATION_ERRORS].map(({ advice }) => [
    advice.en,
    advice.ru,
  ]),
);
