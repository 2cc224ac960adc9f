import { timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Controller, Get, Head, Inject, Injectable, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Author, type CommandContext, newCommandContext, originOfRequest } from '../../commands/command.js';
import { UploadMedia } from '../../commands/media.js';
import { CLOCK, type Clock, iso } from '../../kernel/clock.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { type ByteRange, FileGone, StoreFull, StoreUnavailable } from '../../uploads/file-store.js';
import type { KeptFor } from '../../uploads/media-needs.js';
import { FileRefused } from '../../uploads/receive-file.js';
import { StoreStatus } from '../../uploads/store-status.js';
import { type UploadedFile, UploadedFiles } from '../../uploads/uploaded-files.js';
import { aboutField } from '../../validation/wording.js';
import { HttpProblem } from '../transport/problem.view.js';
import { UPLOAD_MESSAGES } from './messages.js';
import { openUploadBody, readChunks, readUploadHead, type UploadTimes } from './upload-body.js';

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

/** Who uploads a file. */
export interface Uploader {
  readonly ownerId: string;
  readonly author: Author;
  /** The endpoint or the owner that is counted in the pace. */
  readonly payer: string;
}

/** Error codes of uploads, by status. */
export const UPLOAD_CODES = {
  400: [
    'media_too_large',
    'media_format',
    'media_too_many_pixels',
    'media_too_long',
    'media_damaged',
    'media_empty',
    'digest_mismatch',
  ],
  402: ['resource_limit'],
  408: ['upload_stalled'],
  415: ['unsupported_media_type'],
  422: ['invalid_multipart'],
  429: ['too_many_uploads'],
  503: ['media_store_unavailable', 'media_store_full'],
};

/** Injection token for the {@link UploadTimes}. */
export const UPLOAD_TIMES = Symbol('UploadTimes');

/** Receives the file of an authenticated request. */
@Injectable()
export class UploadReceiver {
  constructor(
    private readonly uploads: UploadMedia,
    private readonly files: UploadedFiles,
    private readonly status: StoreStatus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(UPLOAD_TIMES) private readonly times: UploadTimes,
  ) {}

  /** @throws HttpProblem */
  async receive(request: FastifyRequest, reply: FastifyReply, uploader: Uploader): Promise<MediaUploadView> {
    const stop = new AbortController();
    try {
      await this.status.requireUsable();
      const head = readUploadHead(request);
      const body = await openUploadBody(request, head, readChunks(request, stop.signal, this.times));
      const { ownerId, payer, author } = uploader;
      const { filename, bytes: announcedBytes, sha256: declaredSha256, chunks, verify } = body;
      const kept = await this.uploads.execute(this.contextOf(author, request), {
        ownerId,
        payer,
        filename,
        announcedBytes,
        declaredSha256,
        chunks,
        verify,
        signal: stop.signal,
      });
      if (isRejection(kept)) throw rejectionProblem(kept);
      const file = (await this.files.findUsable(ownerId, [kept.mediaId])).get(kept.mediaId);
      if (!file) throw HttpProblem.withRetryAfter(5, 503, 'unavailable', UPLOAD_MESSAGES.notShown);
      void reply.code(kept.isNew ? 201 : 200).header('x-position', String(kept.position));
      return new MediaUploadView(file);
    } catch (error) {
      throw toUploadProblem(error);
    } finally {
      stop.abort();
      if (!request.raw.readableEnded && !request.raw.complete) request.raw.pause();
    }
  }

  private contextOf(author: Author, request: FastifyRequest): CommandContext {
    return newCommandContext(originOfRequest(author, request), 'upload', this.clock.now());
  }
}

const STATUS: Readonly<Record<string, number>> = { not_found: 404, resource_limit: 402, too_many_uploads: 429 };

const rejectionProblem = ({ rejection: code, message, figures = {} }: Rejection): HttpProblem => {
  const { retry_after: seconds, ...rest } = figures;
  const problems = [{ path: '', code, message }];
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return new HttpProblem(STATUS[code] ?? 409, code, problems, headers, rest);
};

/** Returns the problem for an error of the store; other errors stay as they are. */
const toStoreProblem = (error: unknown): unknown => {
  if (error instanceof StoreFull)
    return HttpProblem.withRetryAfter(60, 503, 'media_store_full', UPLOAD_MESSAGES.storeFull);
  if (error instanceof StoreUnavailable)
    return HttpProblem.withRetryAfter(10, 503, 'media_store_unavailable', UPLOAD_MESSAGES.storeUnavailable);
  return error;
};

const toUploadProblem = (error: unknown): unknown => {
  if (!(error instanceof FileRefused)) return toStoreProblem(error);
  const { code, predicate } = error.problem;
  return new HttpProblem(400, code, [{ path: 'file', code, message: aboutField('file', predicate) }]);
};

/** Downloads of one owner's files that a process serves at once (D-90). */
const AT_ONCE = 32;
const PATH = ':media_id/:name';

/** Nothing in the file runs, whatever it is. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; sandbox";

/** Serves uploaded files under their unguessable addresses, without a key (D-92). */
@Controller('media')
export class MediaFilesController {
  private readonly running = new Map<string, number>();

  constructor(@Inject(UploadedFiles) private readonly files: UploadedFiles) {}

  @Head(PATH)
  head(
    @Req() request: FastifyRequest,
    @Param('media_id') id: string,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send(request, reply, id, name);
  }

  @Get(PATH)
  get(
    @Req() request: FastifyRequest,
    @Param('media_id') id: string,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send(request, reply, id, name);
  }

  private async send(request: FastifyRequest, reply: FastifyReply, id: string, name: string): Promise<void> {
    const file = /^med_[0-9a-f]{32}$/.test(id) ? await this.files.findShown(id) : null;
    if (!file || !isSame(file.url.slice(file.url.lastIndexOf('/') + 1), name)) throw gone();
    const tag = `"${file.sha256}"`;
    const isCurrent = request.headers['if-range'] === undefined || request.headers['if-range'] === tag;
    const range = isCurrent ? readRange(request.headers.range, file.bytes) : null;
    const isKnown = request.headers['if-none-match'] === tag;
    if (range === 'unsatisfiable') {
      void reply.header('content-range', `bytes */${file.bytes}`);
      throw HttpProblem.withMessage(416, 'range_not_satisfiable', UPLOAD_MESSAGES.noSuchRange);
    }
    const body = isKnown || request.method === 'HEAD' ? undefined : await this.open(file, range, reply);
    void reply.headers({
      'content-type': file.mime,
      'content-security-policy': POLICY,
      'cross-origin-resource-policy': 'cross-origin',
      // A deleted file is gone at once.
      'cache-control': 'no-cache',
      'accept-ranges': 'bytes',
      etag: tag,
      ...(file.filename !== null && {
        'content-disposition': `inline; filename*=UTF-8''${encodeFilename(file.filename)}`,
      }),
    });
    if (isKnown) return void reply.code(304).send();
    if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`);
    void reply.header('content-length', range ? range.end - range.start + 1 : file.bytes).send(body);
  }

  private async open(file: UploadedFile, range: ByteRange | null, reply: FastifyReply): Promise<Readable | undefined> {
    const { ownerId } = file;
    // The client has disconnected, so no event would end the download.
    if (reply.raw.destroyed) return undefined;
    const running = this.running.get(ownerId) ?? 0;
    if (running >= AT_ONCE)
      throw HttpProblem.withRetryAfter(5, 429, 'too_many_downloads', UPLOAD_MESSAGES.tooManyDownloads);
    this.running.set(ownerId, running + 1);
    reply.raw.once('close', () => this.end(ownerId));
    try {
      return await this.files.read(file, range);
    } catch (error) {
      throw error instanceof FileGone ? gone() : toStoreProblem(error);
    }
  }

  private end(ownerId: string): void {
    const left = (this.running.get(ownerId) ?? 1) - 1;
    if (left > 0) this.running.set(ownerId, left);
    else this.running.delete(ownerId);
  }
}

const gone = (): HttpProblem => HttpProblem.withMessage(404, 'not_found', RESOURCE_MESSAGES.notFound({ what: 'file' }));

/** Compares in constant time: the address is a secret. */
const isSame = (expected: string, sent: string): boolean => {
  const [a, b] = [Buffer.from(expected), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const encodeFilename = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Reads a `Range` of one part; null for the whole file, also if there are several parts. */
export const readRange = (header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null => {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(to) < start) return null;
  return start <= end ? { start, end } : 'unsatisfiable';
};
