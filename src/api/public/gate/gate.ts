import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { DisableEndpoint } from '../../../commands/endpoint/disable-endpoint.js';
import { isSingleAppend } from '../../../commands/post/accept-post.js';
import { KeyClaims, type KnownKeys, type Replay } from '../../../commands/post/key-claims.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import { type Log, LOG } from '../../../kernel/log.js';
import { isRejection } from '../../../kernel/result.js';
import type { Budget } from '../../../limits/limiter.js';
import { type AddressPolicy, createAddressPolicy } from '../../../outbound-http/address-policy.js';
import type { Media } from '../../../payload/payload.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { readHeaderText } from '../../transport/header-text.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { measureBody } from '../../transport/raw-body.js';
import { MediaCheck } from '../media-check.js';
import { ProbePayments } from '../probe-payments.js';
import { targetsRejection } from '../targets-rejection.js';
import { Admission, type SnapshotCheck } from './admission.js';
import type { AdmittedRequest, NewPost, RepeatedPost, ReceivedRequest } from './admitted-requests.js';
import { Authentication } from './authentication.js';
import type { GateRequest, ManagedEndpoint } from './gate-request.js';
import {
  type FailedLimits,
  LimitGuard,
  MAX_LIMITER_CALLS,
  type PassedLimits,
  type PostVerdict,
} from './limit-guard.js';
import { isAcceptable, type ParsedPost, parsePost, resolveChannels } from './parsed-post.js';
import { describeRequest } from './request-log-entry.js';
import {
  bodyRejection,
  disabledRejection,
  endpointNotFoundRejection,
  mediaTypeRejection,
  planRejection,
  requireWholeBody,
  testEndpointRejection,
  unauthorizedRejection,
  unstableEndpoint,
  violationsRejection,
} from './rejections.js';
import { GATE_MESSAGES } from '../messages.js';

/**
 * Checks every request to /v1 in the order of D-7, and acts on the result. The first check that fails answers:
 *
 * 1. maintenance, 2. authentication (a management key has identified its holder before), 3. the endpoint's state, 4. its plan, 5. the media type (`checkEndpoint`);
 * 6. a replay, 7. the month's quota, 8. the rate limits (`takeFromBudget`; for a post `admitPost` and `LimitGuard.judgePost`);
 * 9. the body and its media, which the probe budget must cover (D-51), 10. the targets (`checkContent`).
 *
 * The endpoint snapshot of steps 2 to 5 may be cached. The limiter call verifies its version; where nothing is limited, the
 * append that accepts the post verifies it. A rotated token is therefore invalid at once.
 */
@Injectable()
export class Gate {
  private readonly addresses: AddressPolicy;
  /**
   * True if events and endpoints are in one database. Then the limiter call, which is made anyway, reports whether a key is
   * new, and an append reports whether an endpoint has changed.
   */
  private readonly isOneDatabase: boolean;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly authentication: Authentication,
    private readonly admission: Admission,
    private readonly claims: KeyClaims,
    private readonly limits: LimitGuard,
    private readonly media: MediaCheck,
    private readonly payments: ProbePayments,
    private readonly commands: CommandBus,
  ) {
    this.addresses = createAddressPolicy(settings.allowPrivateAddresses);
    this.isOneDatabase = settings.eventStoreUrl === null;
  }

  /** Checks a request of discovery or pauses up to step 8; the controller checks its body. @throws GateRejection */
  async admit(request: FastifyRequest, slug: string, budget: 'discovery' | 'pauses'): Promise<AdmittedRequest> {
    const gateRequest = this.admission.openEndpointRequest(request, slug);
    const { endpoint, body } = await this.admitWithinBudget(gateRequest, budget);
    if (!body.ok) throw bodyRejection(endpoint, body.problem);
    return { endpoint, body: body.bytes };
  }

  /**
   * Checks a sandbox request up to step 8. The sandbox finds its endpoint by the token, which may be a test token, and is
   * open to every plan (D-12): it is closed only where the owner disabled the endpoint. The controller reports a body that
   * cannot be read (D-44).
   * @param endpoint the endpoint that a management key may use; null: the token finds it
   * @throws GateRejection
   */
  async admitToSandbox(request: FastifyRequest, endpoint: ManagedEndpoint | null): Promise<ReceivedRequest> {
    const gateRequest = endpoint
      ? this.admission.openManagedRequest(request, endpoint, 'sandbox')
      : this.admission.openSandboxRequest(request);
    return this.admitWithinBudget(gateRequest, 'sandbox');
  }

  /**
   * Checks a request to an endpoint's assistant tools up to step 5. Each tool that it calls sends a request of its own, which
   * passes all steps. @throws GateRejection
   */
  async admitToTools(request: FastifyRequest, slug: string): Promise<AdmittedRequest> {
    const gateRequest = this.admission.openEndpointRequest(request, slug, 'tools');
    await gateRequest.arrival;
    const endpoint = await this.checkEndpoint(gateRequest);
    const body = await gateRequest.body.receive();
    if (!body.ok) throw bodyRejection(endpoint, body.problem);
    return { endpoint, body: body.bytes };
  }

  /**
   * Checks a request to publish, all steps.
   * @param to the slug that the request's path names, or the endpoint that a management key may use
   * @throws GateRejection
   */
  async admitPost(request: FastifyRequest, to: string | ManagedEndpoint): Promise<NewPost | RepeatedPost> {
    const gateRequest =
      typeof to === 'string'
        ? this.admission.openEndpointRequest(request, to)
        : this.admission.openManagedRequest(request, to, 'endpoint');
    await gateRequest.arrival;
    const checking = this.checkEndpoint(gateRequest);
    const endpoint = checking instanceof Promise ? await checking : checking;
    const parsing = parsePost(
      requireWholeBody(endpoint, await gateRequest.body.receive()),
      readHeaderText(request, 'idempotency-key'),
      this.addresses,
    );
    const post = parsing instanceof Promise ? await parsing : parsing;
    request.logEntry!.traceId = post.traceId;

    const knownKeys =
      this.isOneDatabase || this.isAcceptedByOneAppend(request, post, endpoint)
        ? this.claims.assumeNewKeys(endpoint.endpoint_id, post.keys)
        : await this.claims.lookUpKeys(endpoint.endpoint_id, post.keys, this.clock.now());
    if (knownKeys.replay) return this.repeatPost(gateRequest, endpoint, knownKeys.replay, post);
    const unlimited = this.admitUnlimited(gateRequest, endpoint, knownKeys, post);
    if (unlimited) return unlimited;
    const verdict = await this.limits.judgePost(endpoint, knownKeys, (current) => this.isAcceptable(post, current));
    return this.actOnPostVerdict(gateRequest, verdict, post);
  }

  /**
   * Checks a post again whose append found its endpoint changed. This time the limiter verifies the endpoint's version.
   * @throws GateRejection
   */
  async readmitPost({ gateRequest, knownKeys, post }: NewPost): Promise<NewPost | RepeatedPost> {
    const endpoint = await this.admission.readmit(gateRequest, this.findRejection);
    const verdict = await this.limits.judgePost(endpoint, knownKeys, (current) => this.isAcceptable(post, current));
    return this.actOnPostVerdict(gateRequest, verdict, post);
  }

  /** Takes a replay from the budget, for a post whose keys were known only to its append. @throws GateRejection */
  async admitReplay({ gateRequest, endpoint, knownKeys }: NewPost): Promise<void> {
    if (this.limits.areUnread(knownKeys)) await this.takeFromBudget(gateRequest, endpoint, 'replays');
  }

  /** Releases the rate-limit tokens of a post that was not accepted, through no fault of its sender. Never throws. */
  releaseTokens(post: NewPost): Promise<void> {
    return this.limits.releaseTokens(post, post.gateRequest.request);
  }

  /**
   * Steps 1 to 5. Answers without waiting where the cached snapshot suffices.
   * @throws GateRejection
   */
  private checkEndpoint(gateRequest: GateRequest): EndpointSnapshot | Promise<EndpointSnapshot> {
    if (this.settings.maintenance) return this.admission.reject(gateRequest);
    return this.admission.admit(gateRequest, this.findRejection);
  }

  /** Steps 2 to 5, by one snapshot of the endpoint. */
  private readonly findRejection: SnapshotCheck = (gateRequest, endpoint, authenticationFailure) => {
    const { request, entryPoint, sender } = gateRequest;
    if (sender !== null) {
      if (!endpoint) return endpointNotFoundRejection();
      if (endpoint.mode === 'test' && entryPoint !== 'sandbox') return testEndpointRejection(endpoint);
    }
    if (authenticationFailure !== null)
      return unauthorizedRejection(endpoint, authenticationFailure, this.authentication.measureClockSkew(request));
    const { limitsProfile } = this.settings;
    const disabled = disabledRejection(endpoint!, entryPoint, limitsProfile);
    if (disabled) return disabled;
    const hasInput = limitsProfile.plans[endpoint!.plan].webhookInput;
    if (!hasInput && entryPoint !== 'sandbox') return planRejection(endpoint!, hasInput);
    return request.method === 'POST' ? mediaTypeRejection(endpoint!, request.headers['content-type']) : null;
  };

  private async admitWithinBudget(gateRequest: GateRequest, budget: Budget): Promise<ReceivedRequest> {
    await gateRequest.arrival;
    const endpoint = await this.checkEndpoint(gateRequest);
    const body = requireWholeBody(endpoint, await gateRequest.body.receive());
    return { endpoint: await this.takeFromBudget(gateRequest, endpoint, budget), body };
  }

  /** Step 8 of everything but new posts. Returns the present snapshot of the endpoint. @throws GateRejection */
  private async takeFromBudget(
    gateRequest: GateRequest,
    snapshot: EndpointSnapshot,
    budget: Budget,
  ): Promise<EndpointSnapshot> {
    let endpoint = snapshot;
    for (let attempt = 0; attempt < MAX_LIMITER_CALLS; attempt++) {
      const verdict = await this.limits.judgeBudget(endpoint, budget);
      if (verdict.outcome === 'passed') return endpoint;
      endpoint = await this.actOnFailure(gateRequest, endpoint, verdict);
    }
    throw unstableEndpoint();
  }

  /**
   * Admits a post without a call where nothing is limited and one append accepts the post: that append verifies the
   * endpoint's version and that the keys are new. Returns null for every other post.
   */
  private admitUnlimited(
    gateRequest: GateRequest,
    endpoint: EndpointSnapshot,
    knownKeys: KnownKeys,
    post: ParsedPost,
  ): NewPost | null {
    if (!this.isOneDatabase || !this.limits.isUnlimited(endpoint) || !post.content.ok) return null;
    const { payload } = post.content;
    const isWritten = endpoint.projects.length > 0 || post.keys.length > 0;
    if (!isWritten || payload.media !== undefined || !isSingleAppend(measureBody(gateRequest.request))) return null;
    const channelIds = resolveChannels(endpoint, payload, this.settings.limitsProfile);
    if (isRejection(channelIds)) return null;
    const condition = { subject: endpoint.endpoint_id, version: endpoint.version };
    return { endpoint, post, payload, channelIds, knownKeys, takenAt: null, condition, gateRequest, replay: null };
  }

  /** Continues with step 9, repeats an earlier answer, or acts on a limit that failed. @throws GateRejection */
  private actOnPostVerdict(
    gateRequest: GateRequest,
    verdict: PostVerdict,
    post: ParsedPost,
    isMediaChecked = false,
  ): NewPost | Promise<NewPost | RepeatedPost> {
    if (verdict.outcome !== 'passed') return this.judgePostAgain(gateRequest, verdict, post, isMediaChecked);
    const { endpoint, knownKeys } = verdict;
    if (knownKeys.replay) return this.repeatPost(gateRequest, endpoint, knownKeys.replay, post);
    // The endpoint has changed so that the post would be rejected: an earlier answer comes first.
    if (this.limits.areUnread(knownKeys) && !this.isAcceptable(post, endpoint, isMediaChecked))
      return this.readKeys(gateRequest, verdict, post, isMediaChecked);
    return this.checkContent(gateRequest, verdict, post, isMediaChecked);
  }

  private async readKeys(
    gateRequest: GateRequest,
    passed: PassedLimits,
    post: ParsedPost,
    isMediaChecked: boolean,
  ): Promise<NewPost | RepeatedPost> {
    const { endpoint } = passed;
    const knownKeys = await this.claims.lookUpKeys(endpoint.endpoint_id, post.keys, this.clock.now());
    if (knownKeys.replay) return this.repeatPost(gateRequest, endpoint, knownKeys.replay, post);
    return this.checkContent(gateRequest, { ...passed, knownKeys }, post, isMediaChecked);
  }

  private async judgePostAgain(
    gateRequest: GateRequest,
    verdict: Exclude<PostVerdict, PassedLimits>,
    post: ParsedPost,
    isMediaChecked: boolean,
  ): Promise<NewPost | RepeatedPost> {
    const { knownKeys, keys, attempts } = verdict;
    const endpoint = await this.actOnFailure(gateRequest, verdict.endpoint, verdict);
    const isAccepted = (current: EndpointSnapshot) => this.isAcceptable(post, current, isMediaChecked);
    const next = await this.limits.judgePost(endpoint, knownKeys, isAccepted, keys, attempts);
    return this.actOnPostVerdict(gateRequest, next, post, isMediaChecked);
  }

  /** Returns the present snapshot of an endpoint that has changed. @throws GateRejection where a limit rejects the request */
  private async actOnFailure(
    gateRequest: GateRequest,
    endpoint: EndpointSnapshot,
    verdict: FailedLimits,
  ): Promise<EndpointSnapshot> {
    switch (verdict.outcome) {
      case 'stale':
        return this.admission.readmit(gateRequest, this.findRejection);
      case 'unstable':
        throw unstableEndpoint();
      case 'disabled':
        throw violationsRejection(endpoint, await this.disableForViolations(gateRequest, endpoint));
      case 'rejected':
        if (verdict.disables)
          await this.disableForViolations(gateRequest, endpoint).catch((error: unknown) => {
            // The limiter remembers the violations: the next request disables the endpoint.
            const { endpoint_id } = endpoint;
            const details = { ...describeRequest(gateRequest.request), endpoint_id, error: String(error) };
            this.log.warn(details, 'failed to disable an endpoint after its rate-limit violations');
          });
        throw verdict.rejection;
    }
  }

  /** Disables an endpoint, once for each time that it was enabled. Returns the event's id. */
  private disableForViolations({ request }: GateRequest, endpoint: EndpointSnapshot): Promise<string | null> {
    const { endpoint_id, epoch } = endpoint;
    const reason = GATE_MESSAGES.violationsReason({
      violations: String(this.settings.limitsProfile.violationsToDisable),
    });
    return this.commands.execute(new DisableEndpoint(endpoint_id, 'rate_limits', epoch, reason, request));
  }

  /** Step 6. A replay has a limit of its own (D-17). */
  private async repeatPost(
    gateRequest: GateRequest,
    endpoint: EndpointSnapshot,
    replay: Replay,
    post: ParsedPost,
  ): Promise<RepeatedPost> {
    return { endpoint: await this.takeFromBudget(gateRequest, endpoint, 'replays'), post, replay };
  }

  /** Steps 9 and 10. Only media have to be waited for. */
  private checkContent(
    gateRequest: GateRequest,
    passed: PassedLimits,
    post: ParsedPost,
    isMediaChecked: boolean,
  ): NewPost | Promise<NewPost | RepeatedPost> {
    const { endpoint, knownKeys, takenAt } = passed;
    const { content } = post;
    if (!content.ok) return this.rejectContent(endpoint, content);
    const { payload } = content;
    if (payload.media && !isMediaChecked) return this.checkMedia(gateRequest, passed, post, payload.media);
    const channelIds = resolveChannels(endpoint, payload, this.settings.limitsProfile);
    if (isRejection(channelIds)) throw targetsRejection(endpoint, channelIds);
    return { endpoint, post, payload, channelIds, knownKeys, takenAt, condition: null, gateRequest, replay: null };
  }

  /** Reports the problems of the media too (D-6). @throws GateRejection */
  private async rejectContent(
    endpoint: EndpointSnapshot,
    { problem, checkableMedia = [] }: ParsedPost['content'] & { readonly ok: false },
  ): Promise<never> {
    const more =
      checkableMedia.length > 0
        ? await this.media.findProblems(endpoint.owner_id, this.payments.open(endpoint), checkableMedia)
        : [];
    throw bodyRejection(endpoint, new HttpProblem(problem.status, problem.code, [...problem.problems, ...more]));
  }

  /** Probing media takes time, so keys, limits and targets are checked again afterwards. */
  private async checkMedia(
    gateRequest: GateRequest,
    { endpoint, knownKeys }: PassedLimits,
    post: ParsedPost,
    media: readonly Media[],
  ): Promise<NewPost | RepeatedPost> {
    const { problems } = await this.media.check(endpoint.owner_id, this.payments.open(endpoint), media);
    if (problems.length > 0) throw bodyRejection(endpoint, new HttpProblem(400, 'invalid_payload', problems));
    const verdict = await this.limits.judgePost(endpoint, knownKeys, (current) =>
      this.isAcceptable(post, current, true),
    );
    return this.actOnPostVerdict(gateRequest, verdict, post, true);
  }

  private isAcceptable(post: ParsedPost, endpoint: EndpointSnapshot, isMediaChecked = false): boolean {
    return isAcceptable(post, endpoint, this.settings.limitsProfile, isMediaChecked);
  }

  /** True if a post that one append accepts needs nothing else before it: no media to check, no parts to store. */
  private isAcceptedByOneAppend(request: FastifyRequest, post: ParsedPost, endpoint: EndpointSnapshot): boolean {
    return this.isAcceptable(post, endpoint) && isSingleAppend(measureBody(request));
  }
}
