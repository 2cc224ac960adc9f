import { asSentence } from '../kernel/message.js';
import { DEGRADATION_MESSAGES, OBSTACLE_MESSAGES } from './messages.js';
import type { Warning } from './publisher.js';

const BY_CODE: Readonly<Record<string, string>> = {
  media_too_large: OBSTACLE_MESSAGES.tooLarge,
  media_too_long: OBSTACLE_MESSAGES.tooLong,
  media_too_many_pixels: OBSTACLE_MESSAGES.tooManyPixels,
  media_unsuitable: OBSTACLE_MESSAGES.unsuitable,
};

/**
 * Returns the warning about a medium that becomes a link in the text (D-22).
 * @param reason a sentence, or a code from `media-error.ts`, optionally followed by a colon and the network's own
 * message
 */
export const linkedMediaWarning = (code: 'media_as_link' | 'media_linked', index: number, reason: string): Warning => {
  const [, obstacle = reason, words = ''] = /^([a-z_]+)(: [^]+)?$/.exec(reason) ?? [];
  const described = asSentence(`${BY_CODE[obstacle] ?? obstacle}${words}`);
  return { code, message: DEGRADATION_MESSAGES.mediaAsLink({ index, reason: described }) };
};
