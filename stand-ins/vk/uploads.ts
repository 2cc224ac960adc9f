import { newTicket, type UploadPath } from '../kit/body.js';
import type { LedgerMedium } from '../kit/ledger-entry.js';
import {
  detectMimeType,
  type MediaStore,
  readPhotoDimensions,
  type StoredUploads,
  type UploadedFile,
} from '../kit/media-store.js';
import type { StandInAnswer, StandInCall } from '../kit/network.js';
import { ApiError, badParameter } from './access.js';

/** Accepted photo types (networks.md §1). */
const PHOTO_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif']);
const MAX_PHOTO_BYTES = 50 * 1_048_576;
/** Maximum sum of a photo's width and height, in pixels. */
const MAX_SUM = 14_000;
/** Maximum ratio of a photo's longer side to its shorter side. */
const MAX_RATIO = 20;

/** Id of the user behind every upload token: saved photos belong to the user, not to the community. */
export const UPLOADER = 1;
/** The album of photos on walls. */
export const WALL_ALBUM = -14;

/** An uploaded photo that has not been saved. */
interface PendingPhoto {
  readonly groupId: string;
  readonly server: string;
  readonly hash: string;
  readonly medium: LedgerMedium;
}

/** A video that has no file yet. */
interface PendingVideo {
  readonly name: string;
  readonly title: string;
}

/**
 * The steps of an upload: each call refers to the previous response and works only once. Saved files can be attached to
 * posts, even after a restart.
 */
export class Uploads {
  private readonly photoTickets = new Map<string, string>();
  private readonly photos = new Map<string, PendingPhoto>();
  private readonly videos = new Map<string, PendingVideo>();
  /** Starts above all ids from earlier runs. */
  private lastId = Date.now();

  constructor(
    private readonly storedUploads: StoredUploads,
    private readonly store: MediaStore,
  ) {}

  /** Handles `photos.getWallUploadServer`. @param origin base address of the stand-in */
  createPhotoUpload(groupId: string, origin: string): object {
    const ticket = newTicket();
    this.photoTickets.set(ticket, groupId);
    return {
      upload_url: `${origin}/upload/photo/${ticket}`,
      album_id: WALL_ALBUM,
      user_id: UPLOADER,
      group_id: Number(groupId),
    };
  }

  /** Handles `video.save`: the video gets its id before its file arrives. */
  saveVideo(groupId: string, title: string, origin: string): object {
    const ticket = newTicket();
    const videoId = ++this.lastId;
    const access_key = ticket.slice(0, 18);
    this.videos.set(ticket, { name: `video-${groupId}_${videoId}_${access_key}`, title });
    const upload_url = `${origin}/upload/video/${ticket}`;
    return { upload_url, video_id: videoId, owner_id: -Number(groupId), title, description: '', access_key };
  }

  /** Handles `photos.saveWallPhoto`: accepts an upload's response only if it is unchanged, and only once. */
  async savePhoto(groupId: string, server: string, photo: string, hash: string): Promise<object> {
    if (photo === '' || photo === '[]') throw badParameter('photo is undefined');
    const pending = this.photos.get(photo);
    if (!pending) throw badParameter('photo is invalid');
    if (pending.server !== server || pending.hash !== hash) throw new ApiError(121, 'Invalid hash');
    if (pending.groupId !== groupId) throw new ApiError(100, 'group_id does not match the upload server');
    this.photos.delete(photo);
    const id = ++this.lastId;
    const access_key = newTicket().slice(0, 18);
    await this.storedUploads.addMedium(`photo${UPLOADER}_${id}_${access_key}`, pending.medium);
    const date = Math.floor(Date.now() / 1_000);
    return [{ id, owner_id: UPLOADER, album_id: WALL_ALBUM, date, has_tags: false, access_key, sizes: [], text: '' }];
  }

  /**
   * Returns the medium for an attachment such as `photo1_2_key` or `video-1_3_key`. The key is required, which may be
   * stricter than VK. @throws ApiError if it was not saved
   */
  getMedium(attachment: string): LedgerMedium {
    const medium = this.storedUploads.findMedium(attachment);
    if (!medium) throw badParameter(`attachments: ${attachment} does not exist`);
    return medium;
  }

  /** Receives a file at an upload address. */
  async receiveFile({ kind, ticket }: UploadPath, { files }: StandInCall): Promise<StandInAnswer> {
    return kind === 'video'
      ? this.receiveVideo(ticket, files.get('video_file'))
      : this.receivePhoto(ticket, files.get('photo'));
  }

  private async receivePhoto(ticket: string, file: UploadedFile | undefined): Promise<StandInAnswer> {
    const groupId = this.photoTickets.get(ticket);
    if (groupId === undefined) return { status: 200, body: { error: 'ERR_UPLOAD_BAD_TICKET', bwact: 'do_add' } };
    const server = String(500_000 + (parseInt(ticket.slice(0, 5), 16) % 500_000));
    const mime = file ? detectMimeType(file.head) : '';
    // For an unreadable file, the response has an empty value, not an error.
    const isAccepted = file && PHOTO_TYPES.has(mime) && file.size <= MAX_PHOTO_BYTES && isWithinPhotoLimits(file);
    const hash = newTicket();
    if (!isAccepted) return { status: 200, body: { server: Number(server), photo: '[]', hash } };
    this.photoTickets.delete(ticket);
    const photo = JSON.stringify([{ markers_restarted: true, photo: `${ticket.slice(0, 10)}:w` }]);
    this.photos.set(photo, { groupId, server, hash, medium: await this.store.storeFile('photo', file, mime) });
    return { status: 200, body: { server: Number(server), photo, hash } };
  }

  private async receiveVideo(ticket: string, file: UploadedFile | undefined): Promise<StandInAnswer> {
    const pending = this.videos.get(ticket);
    if (!pending) return { status: 200, body: { error_code: 1, error_msg: 'unknown upload' } };
    if (!file || file.size === 0) return { status: 200, body: { error_code: 10, error_msg: 'invalid file' } };
    const mime = detectMimeType(file.head);
    if (!mime.startsWith('video/')) {
      return { status: 200, body: { error_code: 22, error_msg: 'unsupported video format' } };
    }
    this.videos.delete(ticket);
    const medium = await this.store.storeFile('video', { ...file, name: pending.title }, mime);
    await this.storedUploads.addMedium(pending.name, medium);
    return { status: 200, body: { size: file.size, video_id: Number(pending.name.split('_')[1]) } };
  }
}

const isWithinPhotoLimits = (file: UploadedFile): boolean => {
  const { long, short } = readPhotoDimensions(file) ?? { long: 1, short: 1 };
  return long + short <= MAX_SUM && long <= short * MAX_RATIO;
};
