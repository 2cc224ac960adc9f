import type { JsonObject } from '../../kernel/json.js';
import type { Button } from '../../payload/payload.js';
import { trimText } from '../../payload/trim.js';
import { DEGRADATION_MESSAGES as MESSAGES } from '../messages.js';
import type { Warning } from '../publisher.js';
import { toMaxUrl } from './links.js';
import { TITLE } from './title.js';

/**
 * Maximum number of link buttons in a row, and of characters on a button (networks.md §5). A post's 8 rows of 8 become
 * 24 rows, which is within MAX's limit of 30.
 */
const MAX_IN_ROW = 3;
const MAX_BUTTON_TEXT = 128;

/**
 * Converts a post's buttons to an `inline_keyboard` attachment, splitting a row of 8 into 3 + 3 + 2. `keyboard` is null
 * if no button is left.
 */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: JsonObject | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const buttons = rows.flatMap((row) =>
    inThrees(
      row.flatMap(({ text, url }) => {
        const address = toMaxUrl(url);
        if (address === null) {
          const message = MESSAGES.buttonNotAccepted({
            network: TITLE,
            url: url.slice(0, 80),
            text: text.slice(0, 40),
          });
          warnings.push({ code: 'button_dropped', message });
          return [];
        }
        const shown = trimText({ text, entities: [] }, MAX_BUTTON_TEXT);
        if (shown.trimmedChars > 0) {
          const message = MESSAGES.buttonShortened({ limit: MAX_BUTTON_TEXT, text: shown.text.slice(0, 40) });
          warnings.push({ code: 'button_text_shortened', message });
        }
        return [{ type: 'link', text: shown.text, url: address }];
      }),
    ),
  );
  return { keyboard: buttons.length > 0 ? { type: 'inline_keyboard', payload: { buttons } } : null, warnings };
};

const inThrees = <T>(row: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(row.length / MAX_IN_ROW) }, (_, i) => row.slice(i * MAX_IN_ROW, (i + 1) * MAX_IN_ROW));
