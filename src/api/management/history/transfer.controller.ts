import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BEGINNING } from '../../../event-store/port.js';
import { ContradictedLog, ExportHistory } from '../../../history/transfer/export-history.js';
import { ImportHistory, ImportInvalid, ImportSpool } from '../../../history/transfer/import-history.js';
import { ImportRefused } from '../../../history/transfer/transfer-line.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { reasonOf } from '../../../kernel/result.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { readQuery } from '../../transport/fields.js';
import { forbiddenProblem, HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getCaller } from '../api-key.guard.js';
import { HISTORY_MESSAGES } from '../messages.js';
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

/** The result of an import. */
export interface ImportView {
  /** Number of imported events, including events that the store already had. */
  readonly events: number;
  /** Number of imported secrets. */
  readonly secrets: number;
  /** False if more lines are still to come; until then, the gateway writes and publishes nothing else. */
  readonly complete: boolean;
}

/** Moves the history to another gateway (management-api.md: `GET /history/export`, `POST /history/import`). */
@Controller('manage/v1/history')
@UseGuards(ApiKeyGuard)
export class TransferController {
  constructor(
    private readonly exports: ExportHistory,
    private readonly imports: ImportHistory,
    private readonly spool: ImportSpool,
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
