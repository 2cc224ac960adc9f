import { randomBytes } from 'node:crypto';
import type { LedgerMedium } from '../kit/ledger-entry.js';
import {
  detectMimeType,
  type MediaStore,
  readPhotoDimensions,
  type StoredUploads,
  type UploadedFile,
} from '../kit/media-store.js';
import { ApiError, badPayload } from './api-error.js';

/** Types of uploads. */
export const UPLOAD_TYPES = ['image', 'video', 'audio', 'file'] as const;
/** One of {@link UPLOAD_TYPES}. */
export type UploadType = (typeof UPLOAD_TYPES)[number];

const MB = 1_048_576;
const MAX_BYTES: Readonly<Record<UploadType, number>> = {
  image: 50 * MB,
  video: 250 * MB,
  audio: 256 * MB,
  file: 256 * MB,
};

/** Maximum length of an image's longer side, in pixels. */
const MAX_SIDE = 7_680;

/** MIME types that can be shown. A file of any other type is rejected when a message refers to it. */
const VISIBLE_TYPES: Readonly<Record<UploadType, RegExp>> = {
  image: /^image\/(?:jpeg|png|gif)$/,
  video: /^video\//,
  audio: /^audio\//,
  file: /./,
};

/** Uploads of bots: open upload addresses, and files by token. The files survive restarts. */
export class Uploads {
  /** Format of the response to an image upload; MAX uses both (networks.md §1). */
  imageAnswer: 'photos' | 'token' = 'photos';
  /** XML value in the response to a video or audio upload; 1 means success. */
  retval = 1;
  private readonly addresses = new Map<string, { readonly type: UploadType; readonly token: string }>();

  constructor(
    private readonly storedUploads: StoredUploads,
    private readonly store: MediaStore,
  ) {}

  /** Creates an upload address for one file. For some types, the token is already part of the response. */
  createUpload(type: string | null): { id: string; token?: string } {
    if (!UPLOAD_TYPES.includes(type as UploadType)) throw badPayload('type: expected image, video, audio or file');
    const id = randomBytes(12).toString('hex');
    const token = `${String(type)}.${randomBytes(24).toString('base64url')}`;
    this.addresses.set(id, { type: type as UploadType, token });
    return type === 'video' || type === 'audio' ? { id, token } : { id };
  }

  /** Receives the file at an upload address. Returns JSON with the token, or `<retval>`, depending on the type. */
  async receiveFile(id: string, file: UploadedFile | undefined): Promise<object | string> {
    const address = this.addresses.get(id);
    if (!address) throw new ApiError(404, 'not.found', 'No such upload, or its file has already been received');
    const { type, token } = address;
    if (!file) throw badPayload('data: expected a file');
    if (file.size === 0) throw badPayload('data: the file is empty');
    if (file.size > MAX_BYTES[type]) throw new ApiError(413, 'too.large', 'The file is too large');
    if (type === 'image' && (readPhotoDimensions(file)?.long ?? 0) > MAX_SIDE) {
      throw badPayload(`data: at most ${MAX_SIDE} pixels a side`);
    }
    if (this.retval !== 1 && type !== 'image') return retvalXml(this.retval);
    this.addresses.delete(id);
    const medium = await this.store.storeFile(type === 'image' ? 'photo' : type, file, detectMimeType(file.head));
    await this.storedUploads.addMedium(`${type}/${token}`, medium);
    if (type === 'video' || type === 'audio') return retvalXml(1);
    return this.imageAnswer === 'token' ? { token } : { photos: { [id]: { token } } };
  }

  /** Returns the file with this token if it can be shown as this type. */
  getMedium(type: UploadType, token: string): LedgerMedium {
    if (!/^[\w.-]+$/.test(token)) throw badPayload('token: expected a token');
    const medium = this.storedUploads.findMedium(`${type}/${token}`);
    if (!medium) throw badPayload(`token: no ${type} was uploaded with this token`);
    if (!VISIBLE_TYPES[type].test(medium.mime)) throw badPayload(`errors.process.attachment.${type}.not.supported`);
    return medium;
  }
}

const retvalXml = (value: number): string => `<retval>${value}</retval>`;
