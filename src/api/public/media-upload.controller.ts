import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Inject, Injectable, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { endpointActor } from '../../kernel/events.js';
import { type EndpointSnapshot, EndpointSnapshots } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { Documented } from '../documentation/documented.js';
import { readBearerToken } from '../transport/headers.js';
import { HttpProblem } from '../transport/problem.view.js';
import { type MediaUploadView, UPLOAD_CODES, UploadReceiver } from '../uploads/media-files.controller.js';
import { requireUploadType } from '../uploads/upload-body.js';
import { Authentication } from './gate/authentication.js';
import { type Decision, GateRejection } from './gate/gate-request.js';
import { disabledRejection, maintenanceRejection, planRejection, unauthorizedRejection } from './gate/rejections.js';
import { openLogEntry, setLogEndpoint } from './gate/request-recorder.js';

/** When a 401 is sent, in ms after the head arrived: at the latest, and at the earliest (D-91). */
const UNAUTHORIZED_MS = { latest: 1_000, earliest: 50 };

/**
 * Checks uploads before their bodies are read, in the order of D-7 without replays and the monthly quota (D-91). The
 * endpoint is found by its token.
 */
@Injectable()
export class UploadGate {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly endpoints: EndpointSnapshots,
    private readonly authentication: Authentication,
  ) {}

  /** @throws GateRejection */
  async admit(request: FastifyRequest): Promise<EndpointSnapshot> {
    openLogEntry(request);
    if (this.settings.maintenance) throw maintenanceRejection(null);
    const slug = await this.endpoints.findSlugByTokenHash(
      hash('sha256', readBearerToken(request.headers.authorization)),
    );
    const endpoint = slug === null ? null : await this.endpoints.loadCurrent(slug);
    if (endpoint) setLogEndpoint(request, endpoint);
    const failure = await this.authentication.findUploadFailure(request, endpoint);
    if (failure !== null || !endpoint) {
      await discardBody(request);
      const skew = this.authentication.measureClockSkew(request);
      throw unauthorizedRejection(endpoint, failure ?? 'unknown_slug', skew);
    }
    const { limitsProfile } = this.settings;
    const disabled = disabledRejection(endpoint, 'endpoint', limitsProfile);
    if (disabled) throw disabled;
    const hasInput = limitsProfile.plans[endpoint.plan].webhookInput;
    if (!hasInput) throw planRejection(endpoint, hasInput);
    return endpoint;
  }
}

/** Reads and discards a body until the 401 is due, whatever its cause. */
const discardBody = async ({ raw, arrivedAt }: FastifyRequest): Promise<void> => {
  const passed = performance.now() - arrivedAt;
  const ended = new Promise((resolve) => raw.once('end', resolve).once('close', resolve).once('error', resolve));
  raw.resume();
  if (!raw.readableEnded) await Promise.race([ended, sleep(UNAUTHORIZED_MS.latest - passed)]);
  const early = UNAUTHORIZED_MS.earliest - (performance.now() - arrivedAt);
  if (early > 0) await sleep(early);
  if (!raw.complete) raw.pause();
};

const DECISIONS: Readonly<Record<number, Decision>> = { 402: 'rejected_tier', 429: 'rejected_rate_limit' };

/** Adds the endpoint's log entry to a problem with the request. */
const asRejection = (error: unknown, endpoint: EndpointSnapshot): unknown => {
  if (!(error instanceof HttpProblem) || error instanceof GateRejection || error.status >= 500) return error;
  const figures = { ...error.figures, first: error.problems[0]?.path ?? '' };
  return new GateRejection(endpoint, DECISIONS[error.status] ?? 'rejected_validation', error, { figures });
};

/** Takes files for posts (D-90). */
@Controller('v1/media')
export class MediaUploadController {
  constructor(
    private readonly gate: UploadGate,
    private readonly receiver: UploadReceiver,
  ) {}

  @Documented({
    summary: 'Upload a file',
    description:
      'The body is the file itself, or `multipart/form-data` with one file named `file`. Posts of all endpoints of the owner may use the id. The same content has the same id: repeating is safe.',
    takesFile: true,
    status: 201,
    alsoAnswers: { 200: 'The owner has this content already; it expires later now' },
    codes: UPLOAD_CODES,
  })
  @Post()
  async upload(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MediaUploadView> {
    const endpoint = await this.gate.admit(request);
    const { owner_id: ownerId, endpoint_id: endpointId } = endpoint;
    try {
      requireUploadType(request);
      return await this.receiver.receive(request, reply, {
        ownerId,
        author: { actor: endpointActor(endpointId) },
        payer: endpointId,
      });
    } catch (error) {
      throw asRejection(error, endpoint);
    }
  }
}
