import type { LedgerButton } from '../kit/ledger-entry.js';
import { badPayload, type Fields, fieldsOf } from './api-error.js';
import { isLink } from './html-text.js';

// Limits for a keyboard (networks.md §5).
const MAX_ROWS = 30;
const MAX_BUTTONS = 210;
const MAX_LINKS_IN_ROW = 3;
const MAX_BUTTON_TEXT = 128;

/** Reads and checks the payload of an inline keyboard. */
export const readKeyboard = (payload: unknown): LedgerButton[][] => {
  const { buttons } = fieldsOf(payload, 'payload');
  if (!Array.isArray(buttons) || buttons.length === 0) throw badPayload('buttons: expected rows');
  const rows = buttons.map((row: unknown) => {
    if (!Array.isArray(row) || row.length === 0) throw badPayload('buttons: expected rows of buttons');
    return row.map((button: unknown) => readButton(fieldsOf(button, 'buttons')));
  });
  if (rows.length > MAX_ROWS) throw badPayload(`buttons: at most ${MAX_ROWS} rows`);
  if (rows.flat().length > MAX_BUTTONS) throw badPayload(`buttons: at most ${MAX_BUTTONS}`);
  if (rows.some((row) => row.length > MAX_LINKS_IN_ROW)) {
    throw badPayload(`buttons: at most ${MAX_LINKS_IN_ROW} link buttons in a row`);
  }
  return rows;
};

const readButton = ({ type, text, url }: Fields): LedgerButton => {
  if (type !== 'link') throw badPayload('buttons: this stand-in accepts only link buttons');
  if (typeof text !== 'string' || text.length < 1 || text.length > MAX_BUTTON_TEXT) {
    throw badPayload(`buttons: text of 1 to ${MAX_BUTTON_TEXT} characters`);
  }
  if (typeof url !== 'string' || !isLink(url)) throw badPayload('buttons: url is not valid');
  return { text, url };
};
