import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ARCHIVE_HISTORY } from '../../../commands/archive-history.js';
import { BEGINNING } from '../../../event-store/port.js';
import { ContradictedLog, ExportHistory } from '../../../history/transfer/export-history.js';
import { ImportHistory, ImportInvalid, ImportSpool } from '../../../history/transfer/import-history.js';
import { ImportRefused } from '../../../history/transfer/transfer-line.js';
import { JobTable } from '../../../jobs/job.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/result.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { forbiddenProblem, HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getCaller } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { isTime } from '../common-fields.js';
import { askerOf, jobResult, type JobView, readBefore, startJob } from '../jobs/jobs.controller.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../owned-resources.js';
import { currentLog } from './transparency-log.controller.js';

/** Query parameters of an export. */
export class ExportQuery {
  /** Only lines after this position. To resume an interrupted export, send the position of its last line. */
  @Must.match(/^(-1|\d{1,19})$/, 'a position from a line of an export')
  readonly after: string | undefined;

  /** Includes the secrets, which can only be decrypted with this gateway's SECRETS_KEY. */
  @Must.beOneOf(['sealed'])
  readonly secrets: string | undefined;

  /** Adds the content of the events, which the export otherwise holds sealed, in `open`. */
  @Must.beOneOf(['open'])
  readonly content: string | undefined;

  /**
   * Only the keys that open the content of the events, without the events. They can only be decrypted with this gateway's
   * SECRETS_KEY. Keep them apart from the history: without them, its content is erased.
   */
  @Must.beOneOf(['sealed'])
  readonly content_keys: string | undefined;
}

const NDJSON = 'application/x-ndjson';
/** Number of characters to collect before each write, because writing line by line would be slow. */
const WRITE_CHARS = 65_536;

/** Body of POST /history/archive. */
export class ArchiveBody {
  /** Months (UTC) that ended at or before this time are archived. */
  @isTime()
  @Must.bePresent('a time such as 2026-06-01T00:00:00Z')
  readonly before!: string;

  /** True to count only: nothing is written. */
  @Must.beBoolean()
  readonly dry_run: boolean | undefined;
}

/** The result of an import. */
export interface ImportView {
  /** Number of imported events, including events that the store already had. */
  readonly events: number;
  /** Number of imported secrets. */
  readonly secrets: number;
  /** False if more lines are still to come; until then, the gateway writes and publishes nothing else. */
  readonly complete: boolean;
}

/**
 * Moves the history to another gateway (management-api.md: `GET /history/export`, `POST /history/import`), or from the
 * database into files (`POST /history/archive`).
 */
@Controller('manage/v1/history')
@UseGuards(ApiKeyGuard)
export class TransferController {
  constructor(
    private readonly exports: ExportHistory,
    private readonly imports: ImportHistory,
    private readonly spool: ImportSpool,
    private readonly changes: ChangePipeline,
    private readonly jobs: JobTable,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  @Documented({
    summary: 'Export the history',
    scope: 'read',
    query: ExportQuery,
    answer: 'application/x-ndjson',
    operatorOnly: HISTORY_MESSAGES.transferIsOperators,
    codes: { 409: ['history_contradicted'], 503: ['log_behind'] },
  })
  @Get('export')
  async export(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Readable> {
    const query = readQuery(request, ExportQuery);
    const { content, content_keys, secrets } = query;
    const [asksForKeys, isOpen, withSecrets] = [content_keys, content, secrets].map((value) => value !== undefined);
    if ((asksForKeys || isOpen || withSecrets) && getCaller(request).kind === 'auditor')
      throw forbiddenProblem(HISTORY_MESSAGES.transferIsOperators);
    const after = query.after === undefined ? BEGINNING : BigInt(query.after);
    const head = asksForKeys ? null : await currentLog(() => this.exports.waitForLog(untilClosed(reply)));
    reply.header('content-type', NDJSON);
    const range = { after, withSecrets: withSecrets!, isOpen: isOpen! };
    const pieces = joinLines(asksForKeys ? this.exports.keyLines() : this.exports.lines(head, range));
    const body = Readable.from(await startReading(pieces), { objectMode: false });
    body.on('error', (error) => this.log.warn({ reason: reasonOf(error) }, 'an export of the history was interrupted'));
    return body;
  }

  @Documented({
    summary: 'Move old history from the database into files',
    scope: 'manage',
    description:
      'Posts, publications and deliveries of the months that ended at or before a time move into files beside the uploads, and leave the lists, which end with `archived_before`; by their ids they are still found. KurrentDB keeps its own events: only the lists end there. The first month in which something is not settled stays, and so do all after it; `left` in the result of the job names it.',
    body: ArchiveBody,
    status: 202,
    operatorOnly: HISTORY_MESSAGES.archiveIsOperators,
    codes: { 409: ['job_running'], 422: ['before_in_future'] },
  })
  @Post('archive')
  async archive(@TheCall() call: Call): Promise<JobView> {
    const read = fieldsReader(ArchiveBody);
    return this.changes.handlePost({ ...call, read, status: 202 }, async (body, change) => {
      const before = readBefore(body.before, this.clock);
      const id = change.newId('job');
      const params = { before, dry_run: body.dry_run ?? false, by: askerOf(change) };
      const job = { id, kind: ARCHIVE_HISTORY, params, subject: ARCHIVE_HISTORY };
      return jobResult((await this.jobs.find(id)) ?? (await startJob(this.jobs, job)));
    });
  }

  @Documented({
    summary: 'Import a history into an empty event store',
    scope: 'manage',
    body: () => ({ type: 'string' }),
    bodyType: 'application/x-ndjson',
    operatorOnly: HISTORY_MESSAGES.transferIsOperators,
    isQuestion: true,
    codes: { 409: ['store_not_empty'], 415: ['unsupported_media_type'] },
  })
  @Post('import')
  @HttpCode(200)
  async import(@Req() request: FastifyRequest): Promise<ImportView> {
    if (!/^\s*application\/x-ndjson\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
      throw HttpProblem.withMessage(415, 'unsupported_media_type', HISTORY_MESSAGES.transferType);
    // The body must arrive within a time limit but the import may take longer, so the body is written to a file first.
    try {
      return await this.spool.keep(request.raw, (file) => this.imports.run(readLines(file)));
    } catch (error) {
      if (error instanceof ImportRefused) throw HttpProblem.withMessage(409, 'store_not_empty', error.message);
      if (!(error instanceof ImportInvalid)) throw error;
      const { line, message: problem } = error;
      throw HttpProblem.withMessage(422, 'invalid', HISTORY_MESSAGES.line({ line, problem }));
    }
  }
}

const untilClosed = ({ raw }: FastifyReply): AbortSignal => {
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  return closed.signal;
};

/** Opens the file only when the first line is requested, because readline drops lines that arrive earlier. */
async function* readLines(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file), crlfDelay: Infinity });
}

/** Reads the first piece before the response starts, because a history that contradicts its log must get a 409. */
const startReading = async (pieces: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> => {
  try {
    const first = await pieces.next();
    return (async function* () {
      if (first.done) return;
      yield first.value;
      yield* pieces;
    })();
  } catch (error) {
    if (!(error instanceof ContradictedLog)) throw error;
    throw HttpProblem.withMessage(409, 'history_contradicted', error.message);
  }
};

/** Terminates each line and joins lines into larger pieces. */
async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const line of lines) {
    text += `${line}\n`;
    if (text.length < WRITE_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
