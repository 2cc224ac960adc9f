import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerMedium } from '../kit/ledger.js';
import type { MediaStore } from '../kit/media-store.js';
import { mimeOf } from '../kit/mime-of.js';
import { photoShape } from '../kit/photo-shape.js';
import type { UploadedFile } from '../kit/uploaded-file.js';
import { Refusal, badPayload } from './refusal.js';

/** What can be uploaded. */
export const UPLOAD_TYPES = ['image', 'video', 'audio', 'file'] as const;
/** Name of a kind of upload. */
export type UploadType = (typeof UPLOAD_TYPES)[number];

const MB = 1_048_576;
const MAX_BYTES: Readonly<Record<UploadType, number>> = {
  ...{ image: 50 * MB, video: 250 * MB, audio: 256 * MB, file: 256 * MB },
};

/** Of an image, pixels. */
const MAX_SIDE = 7_680;

/** Types that readers can see or hear; a video of another type is refused once a message wants to show it. */
const SHOWN: Readonly<Record<UploadType, RegExp>> = {
  image: /^image\/(?:jpeg|png|gif)$/,
  video: /^video\//,
  audio: /^audio\//,
  file: /./,
};

/** An uploaded file under its token. */
export interface Upload {
  readonly type: UploadType;
  readonly medium: LedgerMedium;
}

/** An address that takes one file. */
interface Place {
  readonly type: UploadType;
  readonly token: string;
}

/** Uploads of a bot: the places that were given out, and the files under their tokens, which outlast a restart. */
export class Uploads {
  /** How an image's upload is answered: both forms are in use (networks.md §1). */
  imageAnswer: 'photos' | 'token' = 'photos';
  /** What a video's or an audio's upload answers in XML; 1 is success. */
  retval = 1;
  private readonly places = new Map<string, Place>();

  constructor(private readonly store: MediaStore) {}

  /** A place for one file, and its token where the type has it from the beginning. */
  open(type: string | null): { id: string; token?: string } {
    if (!UPLOAD_TYPES.includes(type as UploadType)) throw badPayload('type: expected image, video, audio or file');
    const id = randomBytes(12).toString('hex');
    const token = `${String(type)}.${randomBytes(24).toString('base64url')}`;
    this.places.set(id, { type: type as UploadType, token });
    return type === 'video' || type === 'audio' ? { id, token } : { id };
  }

  /** Takes a place's file and answers as its type does: JSON with the token, or `<retval>`. */
  async take(id: string, file: UploadedFile | undefined): Promise<object | string> {
    const place = this.places.get(id);
    if (!place) throw new Refusal(404, 'not.found', 'No such upload, or it has its file');
    if (!file) throw badPayload('data: expected a file');
    if (file.size === 0) throw badPayload('data: the file is empty');
    if (file.size > MAX_BYTES[place.type]) throw new Refusal(413, 'too.large', 'The file is too large');
    if (place.type === 'image' && (photoShape(file)?.long ?? 0) > MAX_SIDE) {
      throw badPayload(`data: at most ${MAX_SIDE} pixels a side`);
    }
    if (this.retval !== 1 && place.type !== 'image') return retvalOf(this.retval);
    this.places.delete(id);
    const { type, token } = place;
    const medium = await this.store.keep(type === 'image' ? 'photo' : type, file, mimeOf(file.head));
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, `${token}.json`), JSON.stringify({ type, medium } satisfies Upload));
    if (type === 'video' || type === 'audio') return retvalOf(1);
    return this.imageAnswer === 'token' ? { token } : { photos: { [id]: { token } } };
  }

  /** The file under a token, if it can be shown as this type. */
  async find(type: UploadType, token: string): Promise<LedgerMedium> {
    if (!/^[\w.-]+$/.test(token)) throw badPayload('token: expected a token');
    const found = await readFile(join(this.folder, `${token}.json`), 'utf8').catch(() => null);
    const upload = found === null ? null : (JSON.parse(found) as Upload);
    if (upload?.type !== type) throw badPayload(`token: no ${type} was uploaded under it`);
    if (!SHOWN[type].test(upload.medium.mime)) {
      throw new Refusal(400, `errors.process.attachment.${type}.not.supported`, `This ${type} cannot be shown`);
    }
    return upload.medium;
  }

  private get folder(): string {
    return join(this.store.folder, 'uploads');
  }
}

const retvalOf = (value: number): string => `<retval>${value}</retval>`;
