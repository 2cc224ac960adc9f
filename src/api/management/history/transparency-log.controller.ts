import { Controller, Get, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AGGREGATE_NAMES, findAggregate } from '../../../history/aggregates/catalogue.js';
import { EVENT_ID } from '../../../history/read-log.js';
import { TimeTravel } from '../../../history/time-travel/time-travel.js';
import { showEnded } from '../../../history/transparency-log/ended-logs.js';
import { parseTilePath } from '../../../history/transparency-log/entry.js';
import { openCheckpoint } from '../../../history/transparency-log/published-checkpoint.js';
import { LogBehind, TransparencyLog } from '../../../history/transparency-log/transparency-log.js';
import { type VerificationParams, VERIFY_HISTORY } from '../../../history/transparency-log/verify-history.js';
import { JobTable } from '../../../jobs/job.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { fieldProblem, HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard, getOwnerScope } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { ID_PATTERN } from '../common-fields.js';
import { jobResult, type JobView } from '../jobs/jobs.controller.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../owned-resources.js';

const TEXT = 'text/plain; charset=utf-8';
const TILES = '/history/log/tile/';
const operatorOnly = HISTORY_MESSAGES.tilesAreOperators;

/** Name of the log and the key that verifies its checkpoints. */
export interface LogKeyView {
  readonly origin: string;
  readonly vkey: string;
}

/** A log that has ended, because its history could not be continued. */
export interface EndedLogView {
  readonly origin: string;
  /** Number of entries that its newest known checkpoint covers. */
  readonly size: number;
  /** Root hash of its tree at that size, base64. */
  readonly root: string;
  readonly vkey: string;
  readonly ended_at: string;
  /** `store_reset` or `entries_lost`. */
  readonly reason: string;
  readonly message: string;
  /** Its newest known checkpoint. */
  readonly checkpoint: string;
  /**
   * The same checkpoint with an added line `ended <origin of the next log>`, signed with the ended log's key; null if
   * the key was not available.
   */
  readonly statement: string | null;
}

/** The logs that have ended. */
export interface EndedLogsView {
  /** In the order they ended. Each log was replaced by the next one, and the last by the current log. */
  readonly items: readonly EndedLogView[];
}

/** Serves the transparency log of the history in the C2SP formats (management-api.md: `GET /history/log`). */
@Controller('manage/v1/history/log')
@UseGuards(ApiKeyGuard)
export class TransparencyLogController {
  constructor(private readonly log: TransparencyLog) {}

  @Documented({
    summary: "Show the log's signed head",
    scope: 'read',
    answer: 'text/plain',
    codes: { 503: ['log_behind'] },
  })
  @Get('checkpoint')
  async checkpoint(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { checkpoint } = await currentLog(() => this.log.readHead());
    reply.header('content-type', TEXT);
    return checkpoint;
  }

  @Documented({ summary: 'Show the key that verifies checkpoints', scope: 'read', codes: { 503: ['log_behind'] } })
  @Get('key')
  async key(): Promise<LogKeyView> {
    const { origin, vkey } = await currentLog(() => this.log.readHead());
    return { origin, vkey };
  }

  @Documented({ summary: 'List the logs that have ended, and why', scope: 'read' })
  @Get('ended')
  async ended(): Promise<EndedLogsView> {
    return { items: (await this.log.listEnded()).map(showEnded) };
  }

  @Documented({
    summary: 'Show a tile of the tree or a bundle of entries',
    scope: 'read',
    answer: 'application/octet-stream',
    operatorOnly,
  })
  @Get('tile/:level/:a')
  tile(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.showTile(request, reply);
  }

  @Documented({
    summary: 'Show a tile of the tree or a bundle of entries, with a path of two segments',
    scope: 'read',
    answer: 'application/octet-stream',
    operatorOnly,
  })
  @Get('tile/:level/:a/:b')
  tileOfTwo(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.showTile(request, reply);
  }

  @Documented({
    summary: 'Show a tile of the tree or a bundle of entries, with a path of three segments',
    scope: 'read',
    answer: 'application/octet-stream',
    operatorOnly,
  })
  @Get('tile/:level/:a/:b/:c')
  tileOfThree(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.showTile(request, reply);
  }

  @Documented({
    summary: 'Show a tile of the tree or a bundle of entries, with a path of four segments',
    scope: 'read',
    answer: 'application/octet-stream',
    operatorOnly,
  })
  @Get('tile/:level/:a/:b/:c/:d')
  tileOfFour(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.showTile(request, reply);
  }

  @Documented({ summary: 'Prove one event', scope: 'read', answer: 'text/plain', codes: { 503: ['log_behind'] } })
  @Get('proof/:event')
  async proof(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('event') id: string,
  ): Promise<string> {
    const proof = EVENT_ID.test(id) ? await currentLog(() => this.log.prove(id, getOwnerScope(request))) : null;
    if (proof === null) throw HttpProblem.withMessage(404, 'not_found', HISTORY_MESSAGES.noEvent);
    reply.header('content-type', TEXT);
    return proof;
  }

  private async showTile(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    const tile = parseTilePath(request.url.slice(request.url.indexOf(TILES) + TILES.length));
    const bytes = tile && (await this.log.readTile(tile));
    if (!bytes) throw HttpProblem.withMessage(404, 'not_found', HISTORY_MESSAGES.noTile);
    reply.header('content-type', 'application/octet-stream');
    return bytes;
  }
}

/** Responds with 503 while no checkpoint covers the requested events. */
export const currentLog = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof LogBehind)) throw error;
    throw HttpProblem.withMessage(503, 'log_behind', HISTORY_MESSAGES.logBehind, { 'retry-after': '5' });
  }
};

/** Matches any string of 1 to 4,096 UTF-16 units. */
const CHECKPOINT = /^[^]{1,4096}$/;

/** Body of POST /history/verify. Without fields, everything is verified. */
export class VerificationBody {
  /** Only the events of aggregates of this type. */
  @Must.beOneOf([...AGGREGATE_NAMES])
  readonly aggregate: string | undefined;

  /** Only the events of the aggregate with this id; requires `aggregate`. */
  @Must.match(ID_PATTERN, 'an id such as ep_…')
  readonly id: string | undefined;

  /** An earlier checkpoint, to check that the log still extends it. */
  @Must.match(CHECKPOINT, 'a checkpoint as GET /history/log/checkpoint returned it')
  readonly checkpoint: string | undefined;
}

/** Starts history verification jobs (management-api.md: `POST /history/verify`). */
@Controller('manage/v1/history')
@UseGuards(ApiKeyGuard)
export class VerificationController {
  constructor(
    private readonly changes: ChangePipeline,
    private readonly jobs: JobTable,
    private readonly log: TransparencyLog,
    private readonly timeTravel: TimeTravel,
  ) {}

  @Documented({
    summary: 'Verify the history: chains, order, tree and checkpoint',
    scope: 'manage',
    forAuditors: true,
    body: VerificationBody,
    status: 202,
    operatorOnly: HISTORY_MESSAGES.verificationIsOperators,
    codes: { 404: ['not_found'], 503: ['log_behind'] },
  })
  @Post('verify')
  async verify(@TheCall() call: Call): Promise<JobView> {
    const read = fieldsReader(VerificationBody);
    return this.changes.handlePost({ ...call, read, status: 202 }, async (body) =>
      jobResult(
        await this.jobs.start({ kind: VERIFY_HISTORY, params: await this.toParams(body, getOwnerScope(call.request)) }),
      ),
    );
  }

  /**
   * @throws HttpProblem 404 for an aggregate that never existed; 422 for an id without an aggregate, or for a
   * checkpoint of an unknown log; 503 while no checkpoint exists
   */
  private async toParams(body: VerificationBody, ownerId: string | null): Promise<VerificationParams> {
    const { aggregate, id, checkpoint } = body;
    // An auditor of one owner verifies its aggregates, one at a time (D-94).
    if (ownerId !== null && id === undefined) throw fieldProblem('id', 'missing', HISTORY_MESSAGES.idOfOwner);
    if (id !== undefined && aggregate === undefined)
      throw fieldProblem('id', 'missing', HISTORY_MESSAGES.idWithoutAggregate);
    if (id !== undefined && aggregate !== undefined) {
      const kind = findAggregate(aggregate)!;
      const found = await this.timeTravel.show(kind, id, ownerId, {}, { from: 0n, limit: 1 });
      if (!found) throw HttpProblem.withMessage(404, 'not_found', HISTORY_MESSAGES.notThen({ what: kind.name }));
    }
    if (checkpoint !== undefined) {
      const { origin, vkey } = await currentLog(() => this.log.readHead());
      const logs = [{ vkey }, ...(await this.log.listEnded())];
      if (!logs.some((log) => openCheckpoint(checkpoint, log.vkey)))
        throw fieldProblem('checkpoint', 'invalid', HISTORY_MESSAGES.badCheckpoint({ origin }));
    }
    return { aggregate: aggregate ?? null, id: id ?? null, checkpoint: checkpoint ?? null, owner_id: ownerId };
  }
}
