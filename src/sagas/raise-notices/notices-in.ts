import type { Locale } from '../../domain/owner/owner.events.js';
import { NOTICES_EN, NOTICES_RU } from './messages.js';

/** Returns the sentences of notices in a language; default: English. */
export const noticesIn = (locale?: Locale): typeof NOTICES_EN => (locale === 'ru' ? NOTICES_RU : NOTICES_EN);
