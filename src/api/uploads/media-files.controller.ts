import { timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Controller, Get, Head, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { type ByteRange, FileGone } from '../../uploads/file-store.js';
import { type UploadedFile, UploadedFiles } from '../../uploads/uploaded-files.js';
import { HttpProblem } from '../transport/problem.view.js';
import { UPLOAD_MESSAGES } from './messages.js';
import { toStoreProblem } from './upload-receiver.js';

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
