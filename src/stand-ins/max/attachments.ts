import type { LedgerButton, LedgerMedium } from '../kit/ledger.js';
import { isLink } from './html-text.js';
import { badPayload } from './api-error.js';
import { UPLOAD_TYPES, type Uploads, type UploadType } from './uploads.js';

/** The parts of a message other than its text. */
export interface Attachments {
  readonly media: readonly LedgerMedium[];
  readonly buttons: readonly (readonly LedgerButton[])[];
}

/** Limits of networks.md §1 and §5. */
const MAX_ATTACHMENTS = 12;
const MAX_ROWS = 30;
const MAX_BUTTONS = 210;
const MAX_LINKS_IN_ROW = 3;
const MAX_BUTTON_TEXT = 128;

type Fields = Readonly<Record<string, unknown>>;

/** Reads and checks a message's `attachments`; absent, null and empty mean none. */
export const readAttachments = async (value: unknown, uploads: Uploads): Promise<Attachments> => {
  if (value === undefined || value === null) return { media: [], buttons: [] };
  if (!Array.isArray(value)) throw badPayload('attachments: expected an array');
  if (value.length > MAX_ATTACHMENTS) throw badPayload(`attachments: at most ${MAX_ATTACHMENTS}`);
  const attachments = value.map((one) => fieldsOf(one, 'attachments'));
  if (attachments.length > 1 && attachments.some(({ type }) => type === 'audio')) {
    throw badPayload('attachments: audio must be the only attachment of its message');
  }
  const keyboards = attachments.filter(({ type }) => type === 'inline_keyboard');
  if (keyboards.length > 1) throw badPayload('attachments: one inline_keyboard at most');
  const media: LedgerMedium[] = [];
  for (const one of attachments) if (one['type'] !== 'inline_keyboard') media.push(await readMedium(one, uploads));
  return { media, buttons: keyboards.flatMap(({ payload }) => readKeyboard(fieldsOf(payload, 'payload'))) };
};

const readMedium = async ({ type, payload }: Fields, uploads: Uploads): Promise<LedgerMedium> => {
  if (!UPLOAD_TYPES.includes(type as UploadType)) throw badPayload(`attachments: type ${String(type)} is unknown`);
  const { token, url, photos } = fieldsOf(payload, 'payload');
  if (typeof token === 'string') return uploads.getMedium(type as UploadType, token);
  if (type === 'image' && typeof photos === 'object' && photos !== null) {
    const [first, ...more] = Object.values(photos) as readonly { readonly token?: unknown }[];
    if (typeof first?.token !== 'string' || more.length > 0) throw badPayload('photos: expected one token');
    return uploads.getMedium('image', first.token);
  }
  if (type === 'image' && typeof url === 'string' && isLink(url)) {
    return { type: 'photo', file: null, url, mime: '', bytes: 0, name: '', hash: null };
  }
  throw badPayload('payload: expected a token');
};

const readKeyboard = ({ buttons }: Fields): LedgerButton[][] => {
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
  if (type !== 'link') throw badPayload('buttons: this stand-in takes link buttons alone');
  if (typeof text !== 'string' || text.length < 1 || text.length > MAX_BUTTON_TEXT) {
    throw badPayload(`buttons: text of 1 to ${MAX_BUTTON_TEXT} characters`);
  }
  if (typeof url !== 'string' || !isLink(url)) throw badPayload('buttons: url is not valid');
  return { text, url };
};

const fieldsOf = (value: unknown, name: string): Fields => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw badPayload(`${name}: expected an object`);
};
