import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DisableEndpoint } from '../../../commands/endpoint.js';
import { DISABLED_REASONS } from '../../../commands/messages.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { type EndpointSnapshot, EndpointSnapshots } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { SampledLog } from '../../../runtime/sampled-log.js';
import { UnauthenticatedBodies } from '../../transport/body-reader.js';
import { readBearerToken } from '../../transport/headers.js';
import { hasBody } from '../../transport/raw-body.js';
import { Authentication } from './authentication.js';
import { type EntryPoint, type GateRejection, GateRequest, type ManagedEndpoint } from './gate-request.js';
import {
  disabledRejection,
  endpointNotFoundRejection,
  maintenanceRejection,
  mediaTypeRejection,
  planRejection,
  testEndpointRejection,
  unauthorizedRejection,
} from './rejections.js';
import { openLogEntry, setLogEndpoint } from './request-recorder.js';

/** How long to wait for an endpoint's snapshot during maintenance, in ms. */
const MAINTENANCE_LOOKUP_MS = 500;
const SLUG = /^[\w-]{1,64}$/;

/**
 * The gate's steps 1 to 5: finds a request's endpoint, and checks maintenance, authentication, the endpoint's state,
 * its plan and the media type. The endpoint snapshot may be cached; before a request is rejected, a fresh one is
 * fetched and checked as well.
 */
@Injectable()
export class Identification {
  private readonly unknownSlugs: SampledLog<{ readonly request_id: string; readonly ip: string }>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) log: Log,
    private readonly endpoints: EndpointSnapshots,
    private readonly authentication: Authentication,
    private readonly disableEndpoint: DisableEndpoint,
    private readonly bodies: UnauthenticatedBodies,
  ) {
    this.unknownSlugs = new SampledLog((details, requests) =>
      log.info({ ...details, requests }, 'request to an unknown slug'),
    );
  }

  /** Opens a request to an endpoint's own routes or tools, and creates its request log entry. */
  openEndpointRequest(
    request: FastifyRequest,
    slug: string,
    entryPoint: Exclude<EntryPoint, 'sandbox'> = 'endpoint',
  ): GateRequest {
    openLogEntry(request);
    const address = SLUG.test(slug) ? slug : ''; // no endpoint has an empty slug
    // No limiter call verifies the snapshot of a request to the tools, so it must be fresh.
    const cached = () => (entryPoint === 'tools' ? null : this.endpoints.getCached(address));
    return new GateRequest(request, entryPoint, cached, () => this.endpoints.loadCurrent(address), this.bodies);
  }

  /** Opens a request to the sandbox. Its endpoint is found by the token (D-12). */
  openSandboxRequest(request: FastifyRequest): GateRequest {
    const token = hash('sha256', readBearerToken(request.headers.authorization));
    const fetch = async () => this.loadCurrent(await this.endpoints.findSlugByTokenHash(token));
    return new GateRequest(request, 'sandbox', () => null, fetch, this.bodies);
  }

  /**
   * Opens a request by an endpoint's owner or the operator, who has already been authenticated and authorized. The
   * request body may therefore be read immediately.
   */
  openManagedRequest(
    request: FastifyRequest,
    { endpointId, ownerId, sender }: ManagedEndpoint,
    entryPoint: Exclude<EntryPoint, 'tools'>,
  ): GateRequest {
    if (entryPoint === 'endpoint') openLogEntry(request);
    const fetch = async () => this.loadCurrent(await this.endpoints.findSlugById(endpointId));
    const gateRequest = new GateRequest(request, entryPoint, () => null, fetch, this.bodies, sender);
    gateRequest.body.keep(ownerId);
    return gateRequest;
  }

  private async loadCurrent(slug: string | null): Promise<EndpointSnapshot | null> {
    return slug === null ? null : this.endpoints.loadCurrent(slug);
  }

  /**
   * Identifies the endpoint from the cached snapshot if possible, so that most requests need not wait, or else from a
   * fresh snapshot.
   * @throws HttpProblem: a GateRejection, or 503 if too many requests wait to be authenticated (ADR-88)
   */
  async identify(gateRequest: GateRequest): Promise<EndpointSnapshot> {
    await gateRequest.arrival;
    if (this.settings.maintenance) return this.rejectForMaintenance(gateRequest);
    const { body, sender } = gateRequest;
    if (sender !== null) return this.identifyAfresh(gateRequest);
    const cached = gateRequest.cachedSnapshot();
    const failure = cached ? this.authentication.findHeadFailure(gateRequest, cached) : 'not_cached';
    if (!cached || failure !== null || cached.require_signature) {
      body.wait();
      return this.identifyAfterWaiting(gateRequest, cached, failure);
    }
    body.keep(cached.owner_id);
    // `identifyAfresh` creates the rejection for an unauthenticated request: creating it twice would take longer.
    if (this.findRejection(gateRequest, cached, null)) return this.identifyAfresh(gateRequest);
    setLogEndpoint(gateRequest.request, cached);
    return cached;
  }

  /**
   * Identifies the endpoint of a request that cannot be authenticated from its head and the cached snapshot alone.
   * Every cause takes the same path; otherwise, the 401 for a faster cause would be sent before other 401s that are due
   * at the same moment (D-7).
   * @param headFailure the authentication failure according to the cached snapshot, regardless of the signature
   */
  private async identifyAfterWaiting(
    gateRequest: GateRequest,
    cached: EndpointSnapshot | null,
    headFailure: string | null,
  ): Promise<EndpointSnapshot> {
    if (cached && headFailure === null) {
      const failure = await this.authentication.findFailure(gateRequest, cached);
      if (failure === null) gateRequest.body.keep(cached.owner_id);
      if (failure === null && !this.findRejection(gateRequest, cached, null)) {
        setLogEndpoint(gateRequest.request, cached);
        return cached;
      }
    } else {
      if (!gateRequest.body.hasArrived) this.judgeWhileReading(gateRequest).catch(() => undefined); // `identifyAfresh` reports it
      // Wait for the body before fetching a snapshot: a delay for only one cause would reveal that cause (D-7).
      await gateRequest.waitForBody();
    }
    return this.identifyAfresh(gateRequest);
  }

  /** Checks a request's head against a fresh snapshot while the body arrives. Drops the body if the head fails. */
  private async judgeWhileReading(gateRequest: GateRequest): Promise<void> {
    const endpoint = await gateRequest.fetchSnapshot();
    const failure = this.authentication.findHeadFailure(gateRequest, endpoint);
    if (failure !== null) gateRequest.dropBody(failure);
    else if (endpoint!.require_signature) await this.authentication.startSignature(gateRequest, endpoint!);
    else gateRequest.body.keep(endpoint!.owner_id);
  }

  /** Identifies the endpoint from a fresh snapshot. @throws GateRejection */
  async identifyAfresh(gateRequest: GateRequest): Promise<EndpointSnapshot> {
    const endpoint = await gateRequest.fetchSnapshot();
    if (endpoint) setLogEndpoint(gateRequest.request, endpoint);
    const failure = await this.authentication.findFailure(gateRequest, endpoint);
    if (failure === null) gateRequest.body.keep(endpoint!.owner_id);
    else gateRequest.body.drop();
    const rejection = this.findRejection(gateRequest, endpoint, failure);
    if (!rejection) return endpoint!;
    if (rejection.status === 401) await this.delayUnauthorized(gateRequest, endpoint);
    if (rejection.decision === 'rejected_tier' && endpoint!.disabled_by === null) {
      const { endpoint_id, epoch, plan } = endpoint!;
      const reason = DISABLED_REASONS.planWithoutInput({ plan });
      await this.disableEndpoint.execute(endpoint_id, 'plan', epoch, reason, gateRequest.request);
    }
    throw rejection;
  }

  /**
   * Returns the rejection of the first failed step among steps 2 to 5.
   * @param failure why authentication failed, or null
   */
  private findRejection(
    { request, entryPoint, sender }: GateRequest,
    endpoint: EndpointSnapshot | null,
    failure: string | null,
  ): GateRejection | null {
    if (sender !== null) {
      if (!endpoint) return endpointNotFoundRejection();
      if (endpoint.mode === 'test' && entryPoint !== 'sandbox') return testEndpointRejection(endpoint);
    }
    if (failure !== null)
      return unauthorizedRejection(endpoint, failure, this.authentication.measureClockSkew(request));
    const { limitsProfile } = this.settings;
    const disabled = disabledRejection(endpoint!, entryPoint, limitsProfile);
    if (disabled) return disabled;
    const hasInput = limitsProfile.plans[endpoint!.plan].webhookInput;
    if (!hasInput && entryPoint !== 'sandbox') return planRejection(endpoint!, hasInput);
    return hasBody(request) ? mediaTypeRejection(endpoint!, request.headers['content-type']) : null;
  }

  private async rejectForMaintenance({ body, cachedSnapshot, fetchSnapshot }: GateRequest): Promise<never> {
    body.drop();
    // The rejection goes to the endpoint's log if the endpoint can be found: the database may be under maintenance too.
    const found = Promise.race([fetchSnapshot().catch(() => null), sleep(MAINTENANCE_LOOKUP_MS, null)]);
    throw maintenanceRejection(cachedSnapshot() ?? (await found));
  }

  /** Waits until the 401 is due. A request to an unknown slug appears only in the service's own log (D-14). */
  private async delayUnauthorized(
    { request, body, unauthorizedDelay }: GateRequest,
    endpoint: EndpointSnapshot | null,
  ): Promise<void> {
    if (!endpoint) this.unknownSlugs.add({ request_id: request.id, ip: request.clientAddress });
    await unauthorizedDelay.elapse(body.received);
  }
}
