import type { JsonObject } from '../../kernel/json.js';
import type { Button } from '../../payload/payload.js';
import { type ButtonRules, fitButtons } from '../fit-buttons.js';
import type { Warning } from '../publisher.js';
import { toMaxUrl } from './links.js';
import { TITLE } from './title.js';

/**
 * Maximum number of link buttons in a row (networks.md §5). A post's 8 rows of 8 become 24 rows, which is within MAX's
 * limit of 30.
 */
const MAX_IN_ROW = 3;
/** See networks.md §5. */
const RULES: ButtonRules = { network: TITLE, limit: 128, toUrl: toMaxUrl };

/**
 * Converts a post's buttons to an `inline_keyboard` attachment, splitting a row of 8 into 3 + 3 + 2. `keyboard` is null
 * if no button is left.
 */
export const renderKeyboard = (
  rows: readonly (readonly Button[])[],
): { readonly keyboard: JsonObject | null; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = [];
  const buttons = rows.flatMap((row) =>
    inThrees(fitButtons(row, RULES, warnings).map((button) => ({ type: 'link', ...button }))),
  );
  return { keyboard: buttons.length > 0 ? { type: 'inline_keyboard', payload: { buttons } } : null, warnings };
};

const inThrees = <T>(row: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(row.length / MAX_IN_ROW) }, (_, i) => row.slice(i * MAX_IN_ROW, (i + 1) * MAX_IN_ROW));
