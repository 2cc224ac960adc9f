import type { Button } from '../../payload/payload.js';
import { trimText } from '../../payload/trim.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { Warning } from '../publisher.js';
import { acceptsButtonUrl } from './links.js';
import { TITLE } from './title.js';

/** Not a documented limit. No client shows longer text, and Telegram limits the total size of all buttons. */
const MAX_BUTTON_TEXT = 128;

/** An `InlineKeyboardMarkup` of URL buttons. */
export interface InlineKeyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly url: string }[])[];
}

/** Converts a post's buttons to rows below the message. `keyboard` is null if no button is left. */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: InlineKeyboard | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const kept = rows
    .map((row) =>
      row.flatMap(({ text, url }) => {
        if (!acceptsButtonUrl(url)) {
          warnings.push({
            code: 'button_dropped',
            message: MESSAGES.buttonNotAccepted({ network: TITLE, url: url.slice(0, 80), text: text.slice(0, 40) }),
          });
          return [];
        }
        const { text: shown, trimmedChars } = trimText({ text, entities: [] }, MAX_BUTTON_TEXT);
        if (trimmedChars > 0) {
          warnings.push({
            code: 'button_text_shortened',
            message: MESSAGES.buttonShortened({ limit: MAX_BUTTON_TEXT, text: shown.slice(0, 40) }),
          });
        }
        return [{ text: shown, url }];
      }),
    )
    .filter((row) => row.length > 0);
  return { keyboard: kept.length > 0 ? { inline_keyboard: kept } : null, warnings };
};
