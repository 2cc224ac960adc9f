import type { LedgerButton, LedgerMedium } from '../kit/ledger-entry.js';
import { badPayload } from './api-error.js';
import { type Fields, fieldsOf } from './fields.js';
import { isLink } from './html-text.js';
import { readKeyboard } from './keyboard.js';
import { UPLOAD_TYPES, type Uploads, type UploadType } from './uploads.js';

interface Attachments {
  readonly media: readonly LedgerMedium[];
  readonly buttons: readonly (readonly LedgerButton[])[];
}

/** Maximum number of attachments in a message (networks.md §1, §5). */
const MAX_ATTACHMENTS = 12;

/** Reads and checks a message's `attachments`; absent, null and empty mean no attachments. */
export const readAttachments = async (value: unknown, uploads: Uploads): Promise<Attachments> => {
  if (value === undefined || value === null) return { media: [], buttons: [] };
  if (!Array.isArray(value)) throw badPayload('attachments: expected an array');
  if (value.length > MAX_ATTACHMENTS) throw badPayload(`attachments: at most ${MAX_ATTACHMENTS}`);
  const attachments = value.map((one) => fieldsOf(one, 'attachments'));
  if (attachments.length > 1 && attachments.some(({ type }) => type === 'audio')) {
    throw badPayload('attachments: audio must be the only attachment of its message');
  }
  const keyboards = attachments.filter(({ type }) => type === 'inline_keyboard');
  if (keyboards.length > 1) throw badPayload('attachments: at most one inline_keyboard');
  const media: LedgerMedium[] = [];
  for (const one of attachments) if (one['type'] !== 'inline_keyboard') media.push(await readMedium(one, uploads));
  return { media, buttons: keyboards.flatMap(({ payload }) => readKeyboard(payload)) };
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
