import { Controller, HttpCode, Inject, Injectable, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { audienceOf } from '../../../commands/resolve-targets.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, SHARED_CLOCK } from '../../../kernel/clock.js';
import { isRejection } from '../../../kernel/result.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/url-rules.js';
import { listAddressed } from '../../../payload/content-layers.js';
import { listUnusedOverrides } from '../../../payload/overrides.js';
import { PublishPayloadDto } from '../../../payload/payload.dto.js';
import { LIMITS } from '../../../payload/payload.js';
import { codeOfRefusal, planOf } from '../../../payload/publish-at.js';
import { validateIdempotencyKey } from '../../../payload/validate.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { LocatedPosts } from '../../../uploads/located-posts.js';
import { Documented } from '../../documentation/documented.js';
import { readHeaderText } from '../../transport/headers.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { Gate } from '../gate/gate.js';
import type { ManagedEndpoint } from '../gate/gate-request.js';
import { resolveChannels } from '../gate/parsed-post.js';
import { targetsRejection } from '../gate/rejections.js';
import {
  type CheckedMedium,
  checkPayload,
  MediaCheck,
  type PayloadCheck,
  ProbePayments,
  readJson,
  selectCheckableMedia,
} from '../payload-check.js';
import { TIME_CODES } from '../posts.controller.js';
import {
  findPayloadWarnings,
  type PayloadWarningView,
  SandboxMediumView,
  SandboxProblemView,
  SandboxValidationView,
  SandboxView,
  type SentMedium,
} from './sandbox.view.js';
import { SandboxPreview } from './sandbox-preview.js';

/** Matches the path of an override's entities. */
const OVERRIDDEN_ENTITIES = /^overrides\b.*\.entities\b/;

/** Bytes per MB (D-43). */
const MB = 1_048_576;

/** Builds the view of a probed media file. */
export const buildMediumView = ({ id, url, sizeBytes, ok, note }: CheckedMedium): SandboxMediumView =>
  new SandboxMediumView({ id, url }, sizeBytes === null ? null : Number((sizeBytes / MB).toFixed(3)), ok, note);

/** The results for a body that is too large or not JSON. */
export const UNREADABLE_BODY = new SandboxValidationView('failed', 'not_checked', []);

/** Builds the results for a rejected payload. */
export const buildValidationView = ({
  status,
  problems,
  sent,
}: Extract<PayloadCheck, { readonly ok: false }>): SandboxValidationView => {
  if (sent === undefined) return UNREADABLE_BODY;
  const isWrong = (path: string): boolean => problems.some((problem) => problem.path.startsWith(path));
  const media = findSentMedia(sent).map(
    ({ index, ...medium }) => new SandboxMediumView(medium, null, !isWrong(`media[${index}]`)),
  );
  return new SandboxValidationView(
    status === 422 ? 'failed' : 'passed',
    isWrong('entities') || problems.some(({ path }) => OVERRIDDEN_ENTITIES.test(path)) ? 'failed' : 'passed',
    media,
  );
};

/** Finds the URLs and ids of the media in a body, which may be invalid. */
const findSentMedia = (sent: unknown): readonly (SentMedium & { readonly index: number })[] => {
  const media = typeof sent === 'object' && sent !== null && 'media' in sent ? sent.media : [];
  if (!Array.isArray(media)) return [];
  return (media as unknown[]).slice(0, LIMITS.media).flatMap((medium, index) => {
    if (typeof medium !== 'object' || medium === null) return [];
    const { url, id } = medium as { readonly url?: unknown; readonly id?: unknown };
    if (typeof id === 'string') return { id, index };
    return typeof url === 'string' ? { url, index } : [];
  });
};

/**
 * Checks and previews payloads. Nothing is stored, published, logged or counted against the monthly quota
 * (publish-api.md: POST /v1/sandbox/test; D-12, D-44).
 */
@Injectable()
export class Sandbox {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    private readonly gate: Gate,
    private readonly media: MediaCheck,
    private readonly payments: ProbePayments,
    private readonly preview: SandboxPreview,
    private readonly catalogue: PlatformCatalogue,
    private readonly posts: LocatedPosts,
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Handles a sandbox request.
   * @param to the endpoint that a management key may use; null to find it by the token
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
    const audience = audienceOf(endpoint, this.catalogue.ids);
    const checked = checkPayload(json, key, this.addresses, audience, this.clock.now());
    if (!checked.ok) {
      const found = await this.media.findProblems(endpoint.owner_id, pay, selectCheckableMedia(checked, audience));
      const problems = [...checked.problems, ...found];
      return reject(
        new HttpProblem(checked.status, codeOfRefusal(problems), problems),
        buildValidationView({ ...checked, problems }),
        findPayloadWarnings(sent),
      );
    }
    const isBound = endpoint.projects.length > 0;
    const channelIds = resolveChannels(endpoint, checked.payload, this.settings.limitsProfile);
    const addressed = listAddressed(checked.payload, audience);
    const content = await this.media.checkPayload(endpoint.owner_id, pay, checked.payload, addressed);
    const { payload, problems, lists } = content;
    const media = [...lists.values()].flat().map(buildMediumView);
    const validation = new SandboxValidationView('passed', 'passed', media);
    const warnings = findPayloadWarnings(sent, lists, listUnusedOverrides(payload, addressed));
    if (problems.length > 0)
      return reject(new HttpProblem(content.status, 'invalid_payload', problems), validation, warnings);
    if (isRejection(channelIds)) return reject(targetsRejection(endpoint, channelIds), validation, warnings);
    const preview = await this.preview.render(await this.posts.locate(payload), lists, endpoint, pay);
    const { requires_approval: requiresApproval } = endpoint;
    const plan = planOf(payload, requiresApproval, this.clock.now());
    return new SandboxView(isBound, validation, preview, warnings, plan && { ...plan, requiresApproval });
  }
}

/** Checks and previews a payload with an endpoint's token (publish-api.md: POST /v1/sandbox/test). */
@Controller('v1/sandbox')
export class SandboxController {
  constructor(private readonly sandbox: Sandbox) {}

  @Documented({
    summary: 'Check and preview a payload without publishing',
    body: PublishPayloadDto,
    isQuestion: true,
    codes: { 422: ['invalid_targets', 'too_many_targets', ...TIME_CODES], 429: ['preview_budget', 'probe_budget'] },
  })
  @Post('test')
  @HttpCode(200)
  test(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SandboxView | SandboxProblemView> {
    return this.sandbox.test(request, reply, null);
  }
}
