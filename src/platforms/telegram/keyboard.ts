import type { Button } from '../../payload/payload.js';
import { trimText } from '../../payload/trim.js';
import type { Warning } from '../publisher.js';
import { takesButtonUrl } from './links.js';

/** Not documented; longer than this no client shows, and all buttons together have a limit of their own. */
const MAX_BUTTON_TEXT = 128;

/** An `InlineKeyboardMarkup` of URL buttons. */
export interface InlineKeyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly url: string }[])[];
}

/** A post's buttons as rows under the message; null where none is left. */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: InlineKeyboard | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const kept = rows
    .map((row) =>
      row.flatMap(({ text, url }) => {
        if (!takesButtonUrl(url)) {
          warnings.push({
            code: 'button_dropped',
            message: `Telegram takes no button to ${url.slice(0, 80)}: “${text.slice(0, 40)}” is left out.`,
          });
          return [];
        }
        const { text: shown, trimmedChars } = trimText({ text, entities: [] }, MAX_BUTTON_TEXT);
        if (trimmedChars > 0) {
          warnings.push({
            code: 'button_text_shortened',
            message: `A button's text was shortened to ${MAX_BUTTON_TEXT} characters: “${shown.slice(0, 40)}…”.`,
          });
        }
        return [{ text: shown, url }];
      }),
    )
    .filter((row) => row.length > 0);
  return { keyboard: kept.length > 0 ? { inline_keyboard: kept } : null, warnings };
};
