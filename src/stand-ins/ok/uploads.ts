import { randomBytes } from 'node:crypto';
import type { KeptUploads } from '../kit/kept-uploads.js';
import type { LedgerMedium } from '../kit/ledger.js';
import type { MediaStore } from '../kit/media-store.js';
import { mimeOf } from '../kit/mime-of.js';
import type { StandInAnswer, StandInCall } from '../kit/network.js';
import { badParameter } from './refusal.js';

/** Where uploads go, beside `/fb.do`. */
const UPLOAD_PATH = /^\/upload\/(photo|video)\/([0-9a-f]{32})$/;

const PHOTO_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif']);

/** A video that waits for its file, or for `video.update`. */
interface PendingVideo {
  readonly ticket: string;
  readonly fileName: string;
  readonly fileSize: number;
  /** Where it publishes itself when it is released; null where it does not. */
  readonly gid: string | null;
  medium: LedgerMedium | null;
}

/** Uploads of photos, each with a token, and of videos, each with an id that counts once it was released. */
export class Uploads {
  private readonly photoIds = new Map<string, readonly string[]>();
  private readonly videos = new Map<string, PendingVideo>();
  /** Above all that were given out before a restart. */
  private lastVideoId = Date.now();

  constructor(
    private readonly kept: KeptUploads,
    private readonly store: MediaStore,
  ) {}

  /** `photosV2.getUploadUrl`. @param origin what the stand-in is reached by */
  photoPlace(count: number, origin: string): object {
    if (!(count >= 1 && count <= 100)) throw badParameter('count should be from 1 to 100');
    const ticket = newTicket();
    const photo_ids = Array.from({ length: count }, () => newTicket());
    this.photoIds.set(ticket, photo_ids);
    const expires_ms = Date.now() + 7_200_000;
    return { photo_ids, upload_url: `${origin}/upload/photo/${ticket}`, expires: new Date(expires_ms), expires_ms };
  }

  /** `video.getUploadUrl`. */
  videoPlace(fileName: string, fileSize: number, gid: string | null, origin: string): object {
    if (fileName === '') throw badParameter('file_name is required');
    if (!Number.isSafeInteger(fileSize) || fileSize <= 0) throw badParameter('file_size is required');
    const ticket = newTicket();
    const id = String(++this.lastVideoId);
    this.videos.set(id, { ticket, fileName, fileSize, gid, medium: null });
    return { video_id: Number(id), upload_url: `${origin}/upload/video/${ticket}` };
  }

  /** `video.update`: what was uploaded can be posted from now on. @returns the group in which it publishes itself */
  async releaseVideo(id: string): Promise<{ readonly gid: string; readonly medium: LedgerMedium } | null> {
    const video = this.videos.get(id);
    if (!video) throw badParameter(`vid : video ${id} is not there`);
    const { medium, gid } = video;
    if (!medium) throw badParameter(`vid : video ${id} is not uploaded`);
    await this.kept.keep(`movie/${id}`, medium);
    return gid === null ? null : { gid, medium };
  }

  /** The medium behind a photo's token or a video's id. */
  find(kind: 'photo' | 'movie', id: string): LedgerMedium {
    const medium = this.kept.find(`${kind}/${id}`);
    if (!medium) throw badParameter(`attachment : unknown ${kind} ${kind === 'photo' ? 'token' : 'id'}`);
    return medium;
  }

  /** Whether a path is an upload's, and of what. */
  static kindOf(path: string): 'photo' | 'video' | null {
    return (UPLOAD_PATH.exec(path)?.[1] as 'photo' | 'video' | undefined) ?? null;
  }

  /** Takes files at an upload's address. */
  async take(call: StandInCall): Promise<StandInAnswer> {
    const [, kind, ticket = ''] = UPLOAD_PATH.exec(call.path) ?? [];
    return kind === 'video' ? this.takeVideo(ticket, call) : this.takePhotos(ticket, call);
  }

  private async takePhotos(ticket: string, { files }: StandInCall): Promise<StandInAnswer> {
    const ids = this.photoIds.get(ticket);
    if (!ids) return refused(100, 'PARAM : the upload address has expired');
    const photos: Record<string, { token: string }> = {};
    for (const [index, id] of ids.entries()) {
      const file = files.get(`pic${index + 1}`);
      if (!file) continue;
      const mime = mimeOf(file.head);
      if (!PHOTO_TYPES.has(mime)) return refused(500, 'UPLOAD : the file is no image');
      const token = `${id}${newTicket()}`;
      await this.kept.keep(`photo/${token}`, await this.store.keep('photo', file, mime));
      photos[id] = { token };
    }
    if (Object.keys(photos).length === 0) return refused(100, 'PARAM : pic1 is missing');
    this.photoIds.delete(ticket);
    return { status: 200, body: { photos } };
  }

  private async takeVideo(ticket: string, { files }: StandInCall): Promise<StandInAnswer> {
    const video = [...this.videos.values()].find((one) => one.ticket === ticket);
    const file = files.get('data');
    if (!video || video.medium || !file) return { status: 400, body: '<retval>0</retval>' };
    if (file.size !== video.fileSize) return { status: 400, body: '<retval>0</retval>' };
    const mime = mimeOf(file.head);
    if (!mime.startsWith('video/')) return refused(505, 'UPLOAD : the file is no video');
    video.medium = await this.store.keep('video', { ...file, name: video.fileName }, mime);
    return { status: 200, body: '<retval>1</retval>' };
  }
}

const newTicket = (): string => randomBytes(16).toString('hex');

const refused = (error_code: number, error_msg: string): StandInAnswer => ({
  status: 200,
  body: { error_code, error_msg, error_data: null },
});
