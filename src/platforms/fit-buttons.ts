import type { Button } from '../payload/payload.js';
import { trimText } from '../payload/replace-ranges.js';
import { DEGRADATION_MESSAGES as MESSAGES } from './messages.js';
import type { Warning } from './publisher.js';

export interface ButtonRules {
  /** The network's display name. */
  readonly network: string;
  /** Maximum length of a button's text, in UTF-16 units. */
  readonly limit: number;
  /** Converts a URL to a form that the network accepts; null if there is none. */
  readonly toUrl: (url: string) => string | null;
}

/**
 * Returns the buttons that a network accepts, with button text shortened to its limit.
 * @param warnings receives a warning for each button that is omitted or shortened
 */
export const fitButtons = (
  buttons: readonly Button[],
  { network, limit, toUrl }: ButtonRules,
  warnings: Warning[],
): Button[] =>
  buttons.flatMap(({ text, url }) => {
    const accepted = toUrl(url);
    if (accepted === null) {
      const shown = { url: url.slice(0, 80), text: text.slice(0, 40) };
      warnings.push({ code: 'button_dropped', message: MESSAGES.buttonNotAccepted({ network, ...shown }) });
      return [];
    }
    const { text: short, trimmedChars } = trimText({ text, entities: [] }, limit);
    if (trimmedChars > 0) {
      const message = MESSAGES.buttonShortened({ limit, text: short.slice(0, 40) });
      warnings.push({ code: 'button_text_shortened', message });
    }
    return [{ text: short, url: accepted }];
  });
