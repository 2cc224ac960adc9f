import type { Locale } from '../../domain/owner/owner.events.js';
import { NOTICES_EN, NOTICES_RU } from './messages.js';

/** Returns the notice messages in a language; defaults to English. */
export const noticesIn = (locale?: Locale): typeof NOTICES_EN => (locale === 'ru' ? NOTICES_RU : NOTICES_EN);
