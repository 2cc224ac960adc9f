import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { createAddressPolicy, type AddressPolicy } from '../../../outbound-http/address-policy.js';
import { validateIdempotencyKey } from '../../../payload/idempotency-key.js';
import { isRejection } from '../../../kernel/result.js';
import { Gate } from '../gate/gate.js';
import type { ManagedEndpoint } from '../gate/gate-request.js';
import { resolveChannels } from '../gate/parsed-post.js';
import { readHeaderText } from '../../transport/header-text.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { targetsRejection } from '../targets-rejection.js';
import { MediaCheck, selectCheckableMedia } from '../media-check.js';
import { ProbePayments } from '../probe-payments.js';
import { checkPayload, readJson } from '../read-payload.js';
import { SandboxPreview } from './sandbox-preview.js';
import { findPayloadWarnings } from './payload-warnings.js';
import { buildMediumView, buildValidationView, UNREADABLE_BODY } from './sandbox-validation.js';
import { type PayloadWarningView, SandboxProblemView, SandboxValidationView, SandboxView } from './sandbox.view.js';

/**
 * Checks and previews payloads. Nothing is stored, published, charged or logged (publish-api.md: POST /v1/sandbox/test; D-12,
 * D-44).
 */
@Injectable()
export class Sandbox {
  private readonly addresses: AddressPolicy;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly gate: Gate,
    private readonly media: MediaCheck,
    private readonly payments: ProbePayments,
    private readonly preview: SandboxPreview,
  ) {
    this.addresses = createAddressPolicy(settings.allowPrivateAddresses);
  }

  /**
   * Answers a request to the sandbox.
   * @param to the endpoint that a management key may use; null: the token finds it
   * @throws GateRejection
   */
  async test(
    request: FastifyRequest,
    reply: FastifyReply,
    to: ManagedEndpoint | null,
  ): Promise<SandboxView | SandboxProblemView> {
    const { endpoint, body } = await this.gate.admitToSandbox(request, to);
    const reject = (
      problem: HttpProblem,
      validation: SandboxValidationView,
      warnings: readonly PayloadWarningView[] = [],
    ): SandboxProblemView => {
      void reply.code(problem.status);
      return new SandboxProblemView(problem, request.id, validation, warnings);
    };

    if (!body.ok) return reject(body.problem, UNREADABLE_BODY);
    const key = validateIdempotencyKey(readHeaderText(request, 'idempotency-key'));
    const pay = this.payments.open(endpoint);
    const json = await readJson(body.bytes);
    const sent = json.ok ? json.value : undefined;
    const checked = checkPayload(json, key, this.addresses);
    if (!checked.ok) {
      const found = await this.media.findProblems(endpoint.owner_id, pay, selectCheckableMedia(checked));
      const problems = [...checked.problems, ...found];
      return reject(
        new HttpProblem(checked.status, 'invalid_payload', problems),
        buildValidationView({ ...checked, problems }),
        findPayloadWarnings(sent),
      );
    }
    const { payload } = checked;
    const isBound = endpoint.projects.length > 0;
    const channelIds = resolveChannels(endpoint, payload, this.settings.limitsProfile);
    const { problems, media } = await this.media.check(endpoint.owner_id, pay, payload.media);
    const validation = new SandboxValidationView('passed', 'passed', media.map(buildMediumView));
    const warnings = findPayloadWarnings(sent, media);
    if (problems.length > 0) return reject(new HttpProblem(400, 'invalid_payload', problems), validation, warnings);
    if (isRejection(channelIds)) return reject(targetsRejection(endpoint, channelIds), validation, warnings);
    return new SandboxView(isBound, validation, await this.preview.render(payload, media, endpoint, pay), warnings);
  }
}
