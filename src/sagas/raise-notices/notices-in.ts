import type { Locale } from '../../domain/owner/owner.events.js';
import { NOTICES_EN, NOTICES_RU } from './messages.js';

/** Returns the texts of notices in a language, English by default. */
export const noticesIn = (locale?: Locale): typeof NOTICES_EN => (locale === 'ru' ? NOTICES_RU : NOTICES_EN);
