import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { originOfRequest } from '../../../commands/command.js';
import { AcceptPost, type AcceptPostResult, isSingleAppend, type NewPost } from '../../../commands/post/accept-post.js';
import type { KnownKeys } from '../../../commands/post/key-claims.js';
import { audienceOf } from '../../../commands/resolve-targets.js';
import { ConditionFailed } from '../../../event-store/port.js';
import { type Clock, SHARED_CLOCK } from '../../../kernel/clock.js';
import { endpointActor } from '../../../kernel/events.js';
import type { Budget } from '../../../limits/limiter.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../../outbound-http/url-rules.js';
import { listUploadIds } from '../../../payload/uploads.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import type { ReceivedBody } from '../../transport/body-reader.js';
import { readHeaderText } from '../../transport/headers.js';
import { measureBody } from '../../transport/raw-body.js';
import type { GateRequest, ManagedEndpoint } from './gate-request.js';
import { Identification } from './identification.js';
import { type Admission, LimitGuard } from './limit-guard.js';
import { type AcceptableContent, ContentCheck, type ParsedPost, parsePost } from './parsed-post.js';
import { acceptanceRejection, bodyRejection, requireWholeBody, unstableEndpoint } from './rejections.js';
import { measureLatency, readRoute, readUserAgent } from './request-recorder.js';

/** A request that passed the gate. */
export interface AdmittedRequest {
  readonly endpoint: EndpointSnapshot;
  readonly body: Buffer;
}

/** A request that passed the gate, with a body that may have been too large to keep. */
export interface ReceivedRequest {
  readonly endpoint: EndpointSnapshot;
  readonly body: ReceivedBody;
}

/** The result for a post that was not rejected. */
export type AnsweredPost = Exclude<AcceptPostResult, { readonly outcome: 'rejected' }>;

/** A post that was accepted, now or by an earlier request with the same key (D-9). */
export interface ReceivedPost {
  readonly post: ParsedPost;
  readonly result: AnsweredPost;
}

/** Maximum number of limiter calls for a request, in case its endpoint or its owner's monthly quota keeps changing. */
const MAX_LIMITER_CALLS = 10;
/**
 * The route that the request log shows for clients: a constant, because the framework would allocate an object per
 * request.
 */
const PUBLISH = 'POST /v1/webhooks/{slug}';

/**
 * Checks every request to /v1 in the order of D-7. The first check that fails determines the response:
 *
 * 1. maintenance, 2. authentication (done already for management keys), 3. the endpoint's state, 4. its plan,
 * 5. the media type ({@link Identification});
 * 6. a replay, 7. the monthly quota, 8. the rate limits ({@link LimitGuard});
 * 9. the body and its media, which the probe budget must cover (D-51), 10. the targets ({@link ContentCheck}).
 *
 * The endpoint snapshot of steps 2 to 5 may be cached. The limiter call verifies its version; without limits, the
 * append that accepts the post does. A rotated token is therefore invalid immediately.
 */
@Injectable()
export class Gate {
  constructor(
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    private readonly identification: Identification,
    private readonly limits: LimitGuard,
    private readonly content: ContentCheck,
    private readonly accept: AcceptPost,
    private readonly catalogue: PlatformCatalogue,
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Accepts a post, or finds the response to an earlier request with the same key.
   * @param to the slug in the request's path, or the endpoint that a management key may use
   * @throws GateRejection
   */
  async receivePost(request: FastifyRequest, to: string | ManagedEndpoint): Promise<ReceivedPost> {
    const gateRequest =
      typeof to === 'string'
        ? this.identification.openEndpointRequest(request, to)
        : this.identification.openManagedRequest(request, to, 'endpoint');
    let endpoint = await this.identification.identify(gateRequest); // steps 1 to 5
    const received = requireWholeBody(endpoint, await gateRequest.body.receive());
    let post = await this.readPost(request, received, endpoint);
    const isLight = isSingleAppend(measureBody(request));
    let areMediaProbed = false;
    let keys: KnownKeys | null = null;
    for (let calls = 0; calls < MAX_LIMITER_CALLS; calls++) {
      const content = this.content.findAcceptable(endpoint, post, areMediaProbed);
      keys ??= await this.limits.findKeys(endpoint, post.keys, isLight && content !== null);
      const judged = { request, keys, isAcceptable: content !== null, isLight };
      const verdict = await this.limits.judgePost(endpoint, judged); // steps 6 to 8
      if (verdict.outcome === 'replay') {
        await this.takeFromBudget(gateRequest, endpoint, 'replays'); // replays have their own limit (D-17)
        return { post, result: verdict };
      }
      if (verdict.outcome === 'again') {
        keys = verdict.keys;
        continue;
      }
      if (verdict.outcome === 'stale') {
        endpoint = await this.identification.identifyAfresh(gateRequest);
        post = await this.readPost(request, received, endpoint); // its overrides may refer to new targets
        areMediaProbed &&= !namesUploads(post);
        continue;
      }
      if (content === null || verdict.outcome === 'admissible') {
        post = await this.content.check(endpoint, post, areMediaProbed); // steps 9 and 10
        areMediaProbed = true; // probing took time: keys, limits and targets are checked again
        continue;
      }
      const result = await this.acceptPost(gateRequest, endpoint, { post, content, keys, ...verdict });
      if (result.outcome === 'stale') {
        endpoint = await this.identification.identifyAfresh(gateRequest);
        post = await this.readPost(request, received, endpoint);
        areMediaProbed &&= !namesUploads(post);
        continue;
      }
      return { post, result };
    }
    throw unstableEndpoint();
  }

  /** Checks a discovery, pause or change request up to step 8; the controller checks its body. @throws GateRejection */
  async admit(
    request: FastifyRequest,
    slug: string,
    budget: 'changes' | 'discovery' | 'pauses' | 'withdrawals',
  ): Promise<AdmittedRequest> {
    const gateRequest = this.identification.openEndpointRequest(request, slug);
    const { endpoint, body } = await this.admitWithinBudget(gateRequest, budget);
    if (!body.ok) throw bodyRejection(endpoint, body.problem);
    return { endpoint, body: body.bytes };
  }

  /**
   * Checks a sandbox request up to step 8. The sandbox accepts test tokens and is open to every plan (D-12), unless the
   * owner disabled the endpoint. The controller reports an unreadable body (D-44).
   * @param endpoint the endpoint that a management key may use; null to find it by the token
   * @throws GateRejection
   */
  async admitToSandbox(request: FastifyRequest, endpoint: ManagedEndpoint | null): Promise<ReceivedRequest> {
    const gateRequest = endpoint
      ? this.identification.openManagedRequest(request, endpoint, 'sandbox')
      : this.identification.openSandboxRequest(request);
    return this.admitWithinBudget(gateRequest, 'sandbox');
  }

  /**
   * Checks a request to the assistant tools up to step 5. The requests that tools send go through all steps.
   * @throws GateRejection
   */
  async admitToTools(request: FastifyRequest, slug: string): Promise<AdmittedRequest> {
    const gateRequest = this.identification.openEndpointRequest(request, slug, 'tools');
    const endpoint = await this.identification.identify(gateRequest);
    const body = await gateRequest.body.receive();
    if (!body.ok) throw bodyRejection(endpoint, body.problem);
    return { endpoint, body: body.bytes };
  }

  private async admitWithinBudget(gateRequest: GateRequest, budget: Budget): Promise<ReceivedRequest> {
    const endpoint = await this.identification.identify(gateRequest);
    const body = requireWholeBody(endpoint, await gateRequest.body.receive());
    return { endpoint: await this.takeFromBudget(gateRequest, endpoint, budget), body };
  }

  /** Charges a request to a budget. Returns the current snapshot of the endpoint. @throws GateRejection */
  private async takeFromBudget(
    gateRequest: GateRequest,
    snapshot: EndpointSnapshot,
    budget: Budget,
  ): Promise<EndpointSnapshot> {
    let endpoint = snapshot;
    for (let calls = 0; calls < MAX_LIMITER_CALLS; calls++) {
      if (await this.limits.takeFromBudget(gateRequest.request, endpoint, budget)) return endpoint;
      endpoint = await this.identification.identifyAfresh(gateRequest);
    }
    throw unstableEndpoint();
  }

  /** Parses the body. Steps 9 and 10 report its problems. */
  private async readPost(request: FastifyRequest, body: ReceivedBody, endpoint: EndpointSnapshot): Promise<ParsedPost> {
    const audience = audienceOf(endpoint, this.catalogue.ids);
    const key = readHeaderText(request, 'idempotency-key');
    const post = await parsePost(body, key, this.addresses, audience, this.clock.now());
    request.logEntry!.traceId = post.traceId;
    return post;
  }

  /**
   * Accepts an admitted post. Releases its rate-limit tokens unless it is accepted now, for example because another
   * request with the same key came first or the store is unavailable. Returns `stale` if the endpoint has changed.
   */
  private async acceptPost(
    gateRequest: GateRequest,
    endpoint: EndpointSnapshot,
    admitted: AdmittedPost,
  ): Promise<AnsweredPost | { readonly outcome: 'stale' }> {
    const { request } = gateRequest;
    const { keys, takenAt } = admitted;
    let isAccepted = false;
    try {
      const result = await this.accept.execute(describePost(gateRequest, endpoint, admitted));
      if (result.outcome === 'rejected') throw acceptanceRejection(endpoint, result.rejection);
      isAccepted = result.outcome !== 'replay';
      // Only the append could detect that the keys were known, so this replay is counted here.
      if (!isAccepted && this.limits.areUnread(keys)) await this.takeFromBudget(gateRequest, endpoint, 'replays');
      return result;
    } catch (error) {
      if (error instanceof ConditionFailed) return { outcome: 'stale' };
      throw error;
    } finally {
      if (!isAccepted) await this.limits.releaseTokens(request, endpoint, keys, takenAt);
    }
  }
}

/** True if the uploads of a post are to be looked up again whenever it is parsed. */
const namesUploads = ({ content }: ParsedPost): boolean => content.ok && listUploadIds(content.payload).length > 0;

/** A post that passed all steps. */
interface AdmittedPost extends Admission {
  readonly post: ParsedPost;
  readonly content: AcceptableContent;
  readonly keys: KnownKeys;
}

const describePost = (
  { request, sender }: GateRequest,
  endpoint: EndpointSnapshot,
  { post: { bodyHash }, content: { payload, channelIds }, keys: knownKeys, condition }: AdmittedPost,
): NewPost => {
  const facts = {
    ip: request.clientAddress,
    userAgent: readUserAgent(request),
    route: sender === null ? PUBLISH : readRoute(request),
    payloadBytes: measureBody(request),
    latencyMs: measureLatency(request),
  };
  const origin = originOfRequest(sender ?? { actor: endpointActor(endpoint.endpoint_id) }, request);
  return { endpoint, payload, channelIds, knownKeys, bodyHash, request: facts, origin, condition };
};
