import { newTicket, type UploadPath } from '../kit/body.js';
import type { LedgerMedium } from '../kit/ledger-entry.js';
import { detectMimeType, type MediaStore, type StoredUploads } from '../kit/media-store.js';
import type { StandInAnswer, StandInCall } from '../kit/network.js';
import { ApiError, badParameter } from './access.js';

const PHOTO_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif']);

/** How OK processes videos. */
export interface VideoProcessing {
  /** How many answers of `video.get` say that the video is being processed. */
  checks: number;
  /** True if a video is ready as soon as it is uploaded, so that `video.update` fails. */
  isReadyAtOnce: boolean;
}

/** A video that has no file yet, or is not yet released by `video.update`. */
interface PendingVideo {
  readonly ticket: string;
  readonly fileName: string;
  readonly fileSize: number;
  /** Group in which `video.update` publishes the video; null for none. */
  readonly gid: string | null;
  medium: LedgerMedium | null;
  isReleased: boolean;
  /** How many times `video.get` was called after the upload. */
  asked: number;
}

/** Uploaded photos, each with a token, and videos, each with an id that is valid after `video.update`. */
export class Uploads {
  readonly processing: VideoProcessing = { checks: 0, isReadyAtOnce: false };
  private photoUploads = 0;
  private readonly photoIds = new Map<string, readonly string[]>();
  private readonly videos = new Map<string, PendingVideo>();
  /** Starts above all ids from earlier runs. */
  private lastVideoId = Date.now();

  constructor(
    private readonly storedUploads: StoredUploads,
    private readonly store: MediaStore,
  ) {}

  /** Handles `photosV2.getUploadUrl`. @param origin base address of the stand-in */
  createPhotoUpload(count: number, origin: string): object {
    if (!(count >= 1 && count <= 100)) throw badParameter('count should be from 1 to 100');
    const ticket = newTicket();
    const photo_ids = Array.from({ length: count }, newTicket);
    this.photoIds.set(ticket, photo_ids);
    const ttl_ms = 7_200_000;
    const expires_ms = Date.now() + ttl_ms;
    return { photo_ids, upload_url: `${origin}/upload/photo/${ticket}`, expires_ms, ttl_ms };
  }

  /** Handles `video.getUploadUrl`. */
  createVideoUpload(fileName: string, fileSize: number, gid: string | null, origin: string): object {
    if (fileName === '') throw badParameter('file_name is required');
    if (!Number.isSafeInteger(fileSize) || fileSize <= 0) throw badParameter('file_size is required');
    const ticket = newTicket();
    const id = String(++this.lastVideoId);
    this.videos.set(id, { ticket, fileName, fileSize, gid, medium: null, isReleased: false, asked: 0 });
    return { video_id: Number(id), upload_url: `${origin}/upload/video/${ticket}` };
  }

  /**
   * Handles `video.update`, after which the video can be posted.
   * @returns the video, and the group in which OK publishes it immediately; null if the video has no group
   */
  async releaseVideo(id: string): Promise<{ readonly gid: string; readonly medium: LedgerMedium } | null> {
    const video = this.videos.get(id);
    if (!video) throw badParameter(`vid : video ${id} does not exist`);
    const { medium, gid } = video;
    if (!medium) throw badParameter(`vid : video ${id} has not been uploaded`);
    await this.storedUploads.addMedium(`movie/${id}`, medium);
    video.isReleased = true;
    if (this.processing.isReadyAtOnce) throw badParameter('vid : the video is ready');
    return gid === null ? null : { gid, medium };
  }

  /** Handles `video.get`. */
  describeVideos(vids: string): object {
    const videos = vids.split(',').flatMap((id) => {
      const video = this.videos.get(id);
      if (!video) return [];
      if (!video.isReleased) return [{ id, status: 'UPLOADING' }];
      return [{ id, status: video.asked++ < this.processing.checks ? 'PROCESSING' : 'OK' }];
    });
    return { videos };
  }

  /** Returns an uploaded photo by its token, or a video by its id. */
  getMedium(kind: 'photo' | 'movie', id: string): LedgerMedium {
    const medium = this.storedUploads.findMedium(`${kind}/${id}`);
    if (!medium) throw badParameter(`attachment : unknown ${kind} ${kind === 'photo' ? 'token' : 'id'}`);
    return medium;
  }

  /** Receives files at an upload address. */
  async receiveFiles({ kind, ticket }: UploadPath, call: StandInCall): Promise<StandInAnswer> {
    return kind === 'video' ? this.receiveVideo(ticket, call) : this.receivePhotos(ticket, call);
  }

  private async receivePhotos(ticket: string, { files }: StandInCall): Promise<StandInAnswer> {
    const ids = this.photoIds.get(ticket);
    if (!ids) throw badParameter('the upload address has expired');
    const photos: Record<string, { token: string }> = {};
    for (const [index, id] of ids.entries()) {
      const file = files.get(`pic${index + 1}`);
      if (!file) continue;
      const mime = detectMimeType(file.head);
      if (!PHOTO_TYPES.has(mime)) throw new ApiError(503, 'PHOTO_INVALID_FORMAT : Image format cannot be recognized');
      const token = `${id}${newTicket()}`;
      await this.storedUploads.addMedium(`photo/${token}`, await this.store.storeFile('photo', file, mime));
      // The real network uses the photo's id or another name.
      photos[this.photoUploads++ % 2 === 0 ? id : `pic${index}`] = { token };
    }
    if (Object.keys(photos).length === 0) throw new ApiError(505, 'PHOTO_NO_IMAGE : No image is found in request');
    this.photoIds.delete(ticket);
    return { status: 200, body: { photos } };
  }

  private async receiveVideo(ticket: string, { files }: StandInCall): Promise<StandInAnswer> {
    const video = [...this.videos.values()].find((one) => one.ticket === ticket);
    const file = files.get('data');
    if (!video || video.medium || !file) return { status: 400, body: '<retval>0</retval>' };
    if (file.size !== video.fileSize) return { status: 400, body: '<retval>0</retval>' };
    const mime = detectMimeType(file.head);
    if (!mime.startsWith('video/')) throw badParameter('BadFormat');
    video.medium = await this.store.storeFile('video', { ...file, name: video.fileName }, mime);
    return { status: 200, body: '<retval>1</retval>' };
  }
}
