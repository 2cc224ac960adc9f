import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Author, type CommandContext, newCommandContext, originOfRequest } from '../../commands/command.js';
import { UploadMedia } from '../../commands/media.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { StoreFull, StoreUnavailable } from '../../uploads/file-store.js';
import { FileRefused } from '../../uploads/receive-file.js';
import { StoreStatus } from '../../uploads/store-status.js';
import { UploadedFiles } from '../../uploads/uploaded-files.js';
import { aboutField } from '../../validation/wording.js';
import { HttpProblem } from '../transport/problem.view.js';
import { MediaUploadView } from './media.view.js';
import { UPLOAD_MESSAGES } from './messages.js';
import { openUploadBody, readChunks, readUploadHead, type UploadTimes } from './upload-body.js';

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
export const toStoreProblem = (error: unknown): unknown => {
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
