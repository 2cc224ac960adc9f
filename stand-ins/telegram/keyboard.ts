import type { LedgerButton } from '../kit/ledger-entry.js';
import { badRequest } from './parameters.js';

/**
 * Returns the server's reason for rejecting the URL of a link or button; null if the server accepts it. If there is no
 * scheme, assumes http.
 */
export const findLinkProblem = (url: string): string | null => {
  const reason = findUrlProblem(url);
  return reason === null ? null : `URL '${url}' is invalid: ${reason}`;
};

const findUrlProblem = (url: string): string | null => {
  const telegramScheme = /^(?:tg|ton|tonsite):(?:\/\/)?/i.exec(url)?.[0];
  const rest = telegramScheme ? url.slice(telegramScheme.length) : url;
  const scheme = /^([^:/?#@[\]]*):\/\//.exec(rest)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return 'Unsupported URL protocol';
  const authority = /^[^/?#]*/.exec(scheme === undefined ? rest : rest.slice(scheme.length + 3))?.[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:(\d*)$/, '');
  const port = /:(\d+)$/.exec(authority)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) {
    return 'Wrong port number specified in the URL';
  }
  if (host === '') return 'URL host is empty';
  if (telegramScheme) return /^[a-z0-9_-]+$/i.test(host) ? null : 'Unallowed characters in URL host';
  if (host.startsWith('[')) return null;
  if (/[\0-\x20"#/<>?@[\\\]^`{|}]/.test(host)) return 'Disallowed character in URL host';
  return host.includes('.') ? null : 'Wrong HTTP URL';
};

/** Rows of URL buttons. */
export type Keyboard = readonly (readonly LedgerButton[])[];

// Maximum number of buttons (networks.md §5).
const MAX_IN_ROW = 8;
const MAX_IN_TOTAL = 100;

/** Parses `reply_markup`: an inline keyboard of URL buttons, the only supported kind. */
export const parseKeyboard = (value: unknown): Keyboard => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('Object expected as reply markup');
  }
  const rows: unknown = (value as Record<string, unknown>)['inline_keyboard'];
  if (rows === undefined) return [];
  if (!Array.isArray(rows)) throw badRequest('Field "inline_keyboard" must be of type Array');
  return rows.map((row: unknown) => {
    if (!Array.isArray(row)) {
      throw badRequest('Field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays');
    }
    return row.map(parseButton);
  });
};

const parseButton = (value: unknown): LedgerButton => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidButton('InlineKeyboardButton must be an Object');
  }
  const { text, url } = value as Record<string, unknown>;
  if (text === undefined) throw invalidButton('Can\'t find field "text"');
  if (typeof text !== 'string') throw invalidButton('Field "text" must be of type String');
  if (url !== undefined && typeof url !== 'string') throw invalidButton('Field "url" must be of type String');
  if (!url) throw invalidButton('Text buttons are unallowed in the inline keyboard');
  return { text, url };
};

const invalidButton = (problem: string): Error => badRequest(`Can't parse inline keyboard button: ${problem}`);

/** Rejects invalid buttons, like Telegram. Returns the visible buttons: the real server omits buttons without text. */
export const checkKeyboard = (keyboard: Keyboard): Keyboard => {
  const shown = keyboard.map((row) => row.filter(({ text }) => text !== '')).filter((row) => row.length > 0);
  if (shown.flat().length > MAX_IN_TOTAL || shown.some((row) => row.length > MAX_IN_ROW)) {
    throw badRequest('reply markup is too long');
  }
  return shown.map((row) =>
    row.map(({ text, url }) => {
      const problem = findLinkProblem(url);
      if (problem) throw badRequest(`Inline keyboard button ${problem}`);
      if (!isReachable(url)) throw badRequest('BUTTON_URL_INVALID');
      const cleaned = text.replace(/[\0-\x1f]/g, ' ').trim();
      if (cleaned === '') throw badRequest('Inline keyboard button text must be non-empty');
      return { text: cleaned, url };
    }),
  );
};

/** True if a URL passes Telegram's checks, which follow the Bot API server's: a public host and a limited length. */
const isReachable = (url: string): boolean => {
  if (url.length > 2_048) return false;
  if (/^tg:/i.test(url)) return true;
  const absolute = /^https?:\/\//i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(absolute)) return false;
  const { hostname } = new URL(absolute);
  return (
    hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname) || /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(hostname)
  );
};

/** Maximum number of code points in message text after parsing (networks.md §2). */
export const MAX_TEXT = 4_096;
/** Maximum number of code points in a caption after parsing. */
export const MAX_CAPTION = 1_024;
