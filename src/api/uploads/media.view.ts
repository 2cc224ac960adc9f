import { iso } from '../../kernel/clock.js';
import type { KeptFor } from '../../uploads/media-needs.js';
import type { UploadedFile } from '../../uploads/uploaded-files.js';

/** An uploaded file. */
export class MediaView {
  /** `med_…` */
  readonly id: string;
  /** Detected from the bytes, like `mime`. */
  readonly type: 'photo' | 'video' | 'audio';
  readonly mime: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Null if the client gave it no name. */
  readonly filename: string | null;
  /** Pixels; null if unknown. */
  readonly width: number | null;
  readonly height: number | null;
  /** Null if unknown. */
  readonly duration_seconds: number | null;
  /** Public address of the file, which needs no key. */
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC; null while something needs the file. */
  readonly expires_at: string | null;
  /** What the file is kept for; null if nothing needs it. */
  readonly kept_for: KeptFor | null;

  constructor(file: UploadedFile) {
    this.id = file.id;
    this.type = file.type;
    this.mime = file.mime;
    this.bytes = file.bytes;
    this.sha256 = file.sha256;
    this.filename = file.filename;
    this.width = file.width;
    this.height = file.height;
    this.duration_seconds = file.durationSeconds;
    this.url = file.url;
    this.created_at = iso(file.createdAt);
    this.expires_at = file.expiresAt === null ? null : iso(file.expiresAt);
    this.kept_for = file.keptFor;
  }
}

/** The response to an upload. */
export class MediaUploadView extends MediaView {
  /** Always true. */
  readonly ok = true;
}
