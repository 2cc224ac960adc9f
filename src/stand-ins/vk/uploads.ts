import { randomBytes } from 'node:crypto';
import type { KeptUploads } from '../kit/kept-uploads.js';
import type { LedgerMedium } from '../kit/ledger.js';
import type { MediaStore } from '../kit/media-store.js';
import { mimeOf } from '../kit/mime-of.js';
import type { StandInAnswer, StandInCall } from '../kit/network.js';
import { photoShape } from '../kit/photo-shape.js';
import type { UploadedFile } from '../kit/uploaded-file.js';
import { Refusal, badParameter } from './refusal.js';

/** What photos may be (networks.md §1). */
const PHOTO_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif']);
const MAX_PHOTO_BYTES = 50 * 1_048_576;
/** Pixels of width and height together, and the longer side by the shorter. */
const MAX_SUM = 14_000;
const MAX_RATIO = 20;

/** Where uploads go, beside `/method/…`. */
const UPLOAD_PATH = /^\/upload\/(photo|video)\/([0-9a-f]{32})$/;

/** A photo that was uploaded and waits to be saved. */
interface PendingPhoto {
  readonly groupId: string;
  readonly server: string;
  readonly hash: string;
  readonly medium: LedgerMedium;
}

/** A video that waits for its file. */
interface PendingVideo {
  readonly name: string;
  readonly title: string;
}

/**
 * The upload chains: each link of one names what the link before answered, and is taken once. What was saved can be
 * attached to posts, also after a restart.
 */
export class Uploads {
  private readonly photoTickets = new Map<string, string>();
  private readonly photos = new Map<string, PendingPhoto>();
  private readonly videos = new Map<string, PendingVideo>();
  /** Above all that were given out before a restart. */
  private lastId = Date.now();

  constructor(
    private readonly kept: KeptUploads,
    private readonly store: MediaStore,
  ) {}

  /** `photos.getWallUploadServer`. @param origin what the stand-in is reached by */
  photoServer(groupId: string, origin: string): object {
    const ticket = randomBytes(16).toString('hex');
    this.photoTickets.set(ticket, groupId);
    return { upload_url: `${origin}/upload/photo/${ticket}`, album_id: -14, user_id: 1 };
  }

  /** `video.save`: the video has its name before it has its file. */
  saveVideo(groupId: string, title: string, origin: string): object {
    const ticket = randomBytes(16).toString('hex');
    const videoId = this.nextId();
    this.videos.set(ticket, { name: `video-${groupId}_${videoId}`, title });
    const upload_url = `${origin}/upload/video/${ticket}`;
    return { upload_url, video_id: videoId, owner_id: -Number(groupId), title, access_key: ticket.slice(0, 18) };
  }

  /** `photos.saveWallPhoto`: exactly what the upload answered, once. */
  async savePhoto(groupId: string, server: string, photo: string, hash: string): Promise<object> {
    if (photo === '' || photo === '[]') throw badParameter('photo is undefined');
    const pending = this.photos.get(photo);
    if (!pending) throw badParameter('photo is invalid');
    if (pending.server !== server || pending.hash !== hash) throw new Refusal(121, 'Invalid hash');
    if (pending.groupId !== groupId) throw new Refusal(100, 'group_id is not the one of the upload server');
    this.photos.delete(photo);
    const id = this.nextId();
    await this.kept.keep(`photo-${groupId}_${id}`, pending.medium);
    return [{ id, owner_id: -Number(groupId), album_id: -14, sizes: [] }];
  }

  /** The medium behind `photo-1_2` or `video-1_3`; a {@link Refusal} where nothing was saved under it. */
  find(attachment: string): LedgerMedium {
    const medium = this.kept.find(attachment);
    if (!medium) throw badParameter(`attachments: ${attachment} is not there`);
    return medium;
  }

  /** Whether a path is an upload's, and of what. */
  static kindOf(path: string): 'photo' | 'video' | null {
    return (UPLOAD_PATH.exec(path)?.[1] as 'photo' | 'video' | undefined) ?? null;
  }

  /** Takes a file at an upload's address. */
  async take({ path, files }: StandInCall): Promise<StandInAnswer> {
    const [, kind, ticket = ''] = UPLOAD_PATH.exec(path) ?? [];
    return kind === 'video'
      ? this.takeVideo(ticket, files.get('video_file'))
      : this.takePhoto(ticket, files.get('photo'));
  }

  private async takePhoto(ticket: string, file: UploadedFile | undefined): Promise<StandInAnswer> {
    const groupId = this.photoTickets.get(ticket);
    if (groupId === undefined) return { status: 200, body: { error: 'ERR_UPLOAD_BAD_TICKET', bwact: 'do_add' } };
    const server = String(500_000 + (parseInt(ticket.slice(0, 5), 16) % 500_000));
    const mime = file ? mimeOf(file.head) : '';
    // What cannot be read comes back as nothing, not as an error.
    const isTaken = file && PHOTO_TYPES.has(mime) && file.size <= MAX_PHOTO_BYTES && hasShape(file);
    const hash = randomBytes(16).toString('hex');
    if (!isTaken) return { status: 200, body: { server: Number(server), photo: '[]', hash } };
    this.photoTickets.delete(ticket);
    const photo = JSON.stringify([{ markers_restarted: true, photo: `${ticket.slice(0, 10)}:w` }]);
    this.photos.set(photo, { groupId, server, hash, medium: await this.store.keep('photo', file, mime) });
    return { status: 200, body: { server: Number(server), photo, hash } };
  }

  private async takeVideo(ticket: string, file: UploadedFile | undefined): Promise<StandInAnswer> {
    const pending = this.videos.get(ticket);
    if (!pending) return { status: 200, body: { error_code: 1, error_msg: 'unknown upload' } };
    if (!file || file.size === 0) return { status: 200, body: { error_code: 10, error_msg: 'invalid file' } };
    if (!mimeOf(file.head).startsWith('video/')) {
      return { status: 200, body: { error_code: 22, error_msg: 'unsupported video format' } };
    }
    this.videos.delete(ticket);
    const named = { ...file, name: pending.title };
    await this.kept.keep(pending.name, await this.store.keep('video', named, mimeOf(file.head)));
    return { status: 200, body: { size: file.size, video_id: Number(pending.name.split('_')[1]) } };
  }

  private nextId(): number {
    return ++this.lastId;
  }
}

/** Whether a photo is not too large or too narrow. */
const hasShape = (file: UploadedFile): boolean => {
  const { long, short } = photoShape(file) ?? { long: 1, short: 1 };
  return long + short <= MAX_SUM && long <= short * MAX_RATIO;
};
