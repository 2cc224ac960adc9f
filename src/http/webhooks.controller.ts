import { hash } from 'node:crypto';
import { Controller, Header, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptPost } from '../commands/accept-post.js';
import { KeyClaims } from '../commands/key-claims.js';
import { originOfRequest } from '../commands/origin.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import { addressPolicy, type AddressPolicy } from '../payload/address-policy.js';
import { validateIdempotencyKey } from '../payload/idempotency-key.js';
import { parseJsonBody } from '../payload/json-body.js';
import type { Problem, PublishPayload } from '../payload/payload.js';
import { validatePayload } from '../payload/validate.js';
import { type Admitted, Gate } from './gate/gate.js';
import { Refusal } from './gate/refusal.js';
import { HttpProblem } from './http-problem.js';

const PUBLISH = 'POST /v1/webhooks/{slug}';

/** Publishing (spec: POST /v1/webhooks/{slug}). */
@Controller('v1/webhooks')
export class WebhooksController {
  private readonly addresses: AddressPolicy;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly gate: Gate,
    private readonly commands: CommandBus,
    private readonly claims: KeyClaims,
  ) {
    this.addresses = addressPolicy(settings.allowPrivateAddresses);
  }

  @Post(':slug')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const admitted = await this.gate.admit(request, slug);
    const { endpoint, body } = admitted;
    const header = request.headers['idempotency-key'] as string | undefined;
    const payload = this.read(admitted, header);
    const facts = {
      ip: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 500) ?? null,
      route: PUBLISH,
      payloadBytes: body.length,
      latencyMs: Math.round((performance.now() - request.arrivedAt) * 100) / 100,
    };
    const keys = [...new Set([header?.trim(), payload.external_id].filter((key) => key))] as string[];
    const seen = await this.claims.look(endpoint.endpoint_id, keys, Date.now());
    const bodyHash = hash('sha256', body);
    const origin = originOfRequest(`endpoint:${endpoint.endpoint_id}`, request.id);
    const result = await this.commands.execute(new AcceptPost(endpoint, payload, seen, bodyHash, facts, origin));
    if (result.outcome === 'invalid_targets') throw invalidTargets(admitted);
    if (result.outcome === 'replay') {
      void reply.code(202);
      if (result.mismatch) void reply.header('idempotency-payload-mismatch', 'true');
    }
    const { postId, traceId, queuedTargets } = result.answer;
    return JSON.stringify({ ok: true, id: postId, trace_id: traceId, queued_targets: queuedTargets });
  }

  /** Parses and checks; everything that is wrong is told at once, and 422 wins over 400 (D-43). */
  private read({ endpoint, body }: Admitted, header: string | undefined): PublishPayload {
    const key = validateIdempotencyKey(header);
    const json = parseJsonBody(body);
    const refuse = (status: number, problems: readonly Problem[]) =>
      new Refusal(
        endpoint,
        'rejected_validation',
        problems[0]?.code ?? 'invalid',
        new HttpProblem(status, 'invalid_payload', problems),
      );
    if (!json.ok) throw refuse(400, json.problems);
    const checked = validatePayload(json.value, this.addresses);
    if (!checked.ok)
      throw refuse(key.ok ? checked.status : 422, key.ok ? checked.problems : [...key.problems, ...checked.problems]);
    if (!key.ok) throw refuse(422, key.problems);
    return checked.payload;
  }
}

const invalidTargets = ({ endpoint }: Admitted): Refusal => {
  const code = 'invalid_targets';
  const message = 'None of these ids is a target of this endpoint: ask GET …/info for the ids.';
  return new Refusal(
    endpoint,
    'rejected_validation',
    code,
    new HttpProblem(422, code, [{ path: 'targets', code, message }]),
  );
};
