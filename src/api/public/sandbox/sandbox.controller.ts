import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { namedTargets } from '../../../commands/pause/named-targets.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { addressPolicy, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { validateIdempotencyKey } from '../../../payload/idempotency-key.js';
import { isRejection } from '../../../kernel/result.js';
import { Gate } from '../gate/gate.js';
import { headerText } from '../../transport/header-text.js';
import { HttpProblem, problemBody } from '../../transport/http-problem.js';
import { invalidTargets } from '../invalid-targets.js';
import { MediaCheck, mediaLeftOf } from '../media-check.js';
import { checkPayload, readJson } from '../read-payload.js';
import { SandboxPreview } from './sandbox-preview.js';
import { NOT_READ, type SandboxValidation, shownMedium, validationOf } from './sandbox-validation.js';

/** Trying a payload out: nothing is stored, published, charged or logged (publish-api.md: POST /v1/sandbox/test; D-12, D-44). */
@Controller('v1/sandbox')
export class SandboxController {
  private readonly addresses: AddressPolicy;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly gate: Gate,
    private readonly media: MediaCheck,
    private readonly preview: SandboxPreview,
  ) {
    this.addresses = addressPolicy(settings.allowPrivateAddresses);
  }

  @Post('test')
  @HttpCode(200)
  async test(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { endpoint, body } = await this.gate.admitToSandbox(request);
    const refuse = (problem: HttpProblem, validation: SandboxValidation): object => {
      void reply.code(problem.status);
      return { ...problemBody(problem, request.id), would_create_post: false, validation };
    };

    if (!body.ok) return refuse(body.problem, NOT_READ);
    const key = validateIdempotencyKey(headerText(request, 'idempotency-key'));
    const said = checkPayload(await readJson(body.bytes), key, this.addresses);
    if (!said.ok) {
      const problems = [...said.problems, ...(await this.media.problemsOf(mediaLeftOf(said)))];
      return refuse(new HttpProblem(said.status, 'invalid_payload', problems), validationOf({ ...said, problems }));
    }
    const { payload } = said;
    const isBound = endpoint.projects.length > 0;
    const targets = namedTargets(endpoint.projects, payload.targets?.map(({ id }) => id) ?? []);
    const { problems, media } = await this.media.check(payload.media);
    const validation = { ...PASSED, media: media.map(shownMedium) };
    if (problems.length > 0) return refuse(new HttpProblem(400, 'invalid_payload', problems), validation);
    if (isBound && isRejection(targets)) return refuse(invalidTargets(endpoint, targets), validation);
    return {
      ok: true,
      would_create_post: isBound,
      validation,
      preview: await this.preview.of(payload, media, endpoint),
    };
  }
}

const PASSED = { schema: 'passed', entities: 'passed' } as const;
