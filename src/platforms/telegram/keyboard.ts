import type { Button } from '../../payload/payload.js';
import { type ButtonRules, fitButtons } from '../fit-buttons.js';
import type { Warning } from '../publisher.js';
import { acceptsButtonUrl } from './links.js';
import { TITLE } from './title.js';

/** Telegram documents no limit, but no client shows longer text, and the total size of all buttons is limited. */
const RULES: ButtonRules = { network: TITLE, limit: 128, toUrl: (url) => (acceptsButtonUrl(url) ? url : null) };

/** An `InlineKeyboardMarkup` of URL buttons. */
export interface InlineKeyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly url: string }[])[];
}

/** Converts a post's buttons to rows below the message. `keyboard` is null if no button is left. */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: InlineKeyboard | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const kept = rows.map((row) => fitButtons(row, RULES, warnings)).filter((row) => row.length > 0);
  return { keyboard: kept.length > 0 ? { inline_keyboard: kept } : null, warnings };
};
