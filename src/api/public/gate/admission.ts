import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { DisableEndpoint, planWithoutInputReason } from '../../../commands/endpoint/disable-endpoint.js';
import { type Log, LOG } from '../../../kernel/log.js';
import { type EndpointSnapshot, EndpointSnapshots } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { UnauthenticatedBodies } from '../../transport/unauthenticated-bodies.js';
import { SampledLog } from '../../../runtime/sampled-log.js';
import { Authentication } from './authentication.js';
import { readBearerToken } from './credentials.js';
import type { GateRejection } from './gate-rejection.js';
import { type EntryPoint, GateRequest, type ManagedEndpoint } from './gate-request.js';
import { maintenanceRejection } from './rejections.js';
import { openLogEntry, setLogEndpoint } from './request-log-entry.js';

/** The time that a request under maintenance waits for its endpoint's snapshot, in ms. */
const MAINTENANCE_LOOKUP_MS = 500;
const SLUG = /^[\w-]{1,64}$/;

/**
 * The gate's steps 2 to 5 by one snapshot of the endpoint: returns the rejection of the first check that fails, or null.
 * @param endpoint null: there is no endpoint at this address
 * @param authenticationFailure the cause; null: the request is authenticated
 */
export type SnapshotCheck = (
  gateRequest: GateRequest,
  endpoint: EndpointSnapshot | null,
  authenticationFailure: string | null,
) => GateRejection | null;

/**
 * Admits requests by a snapshot of their endpoint. The snapshot may be cached; before a request is rejected, a fresh one is
 * fetched and checked as well. `Gate` says what is checked, and in which order.
 */
@Injectable()
export class Admission {
  private readonly unknownSlugs: SampledLog<{ readonly request_id: string; readonly ip: string }>;

  constructor(
    @Inject(LOG) log: Log,
    private readonly endpoints: EndpointSnapshots,
    private readonly authentication: Authentication,
    private readonly commands: CommandBus,
    private readonly bodies: UnauthenticatedBodies,
  ) {
    this.unknownSlugs = new SampledLog((details, requests) =>
      log.info({ ...details, requests }, 'request to an unknown slug'),
    );
  }

  /** Opens a request to an endpoint's own routes, or to its tools, and its entry in the request log. */
  openEndpointRequest(
    request: FastifyRequest,
    slug: string,
    entryPoint: Exclude<EntryPoint, 'sandbox'> = 'endpoint',
  ): GateRequest {
    openLogEntry(request);
    const address = SLUG.test(slug) ? slug : ''; // no endpoint has the empty slug
    // No limiter call verifies the snapshot of a request to the tools.
    const cached = () => (entryPoint === 'tools' ? null : this.endpoints.getCached(address));
    return new GateRequest(request, entryPoint, cached, () => this.endpoints.loadCurrent(address), this.bodies);
  }

  /** Opens a request to the sandbox, which finds its endpoint by the token (D-12). */
  openSandboxRequest(request: FastifyRequest): GateRequest {
    const token = hash('sha256', readBearerToken(request.headers.authorization));
    const fetch = async (): Promise<EndpointSnapshot | null> => {
      const slug = await this.endpoints.findSlugByTokenHash(token);
      return slug === null ? null : this.endpoints.loadCurrent(slug);
    };
    return new GateRequest(request, 'sandbox', () => null, fetch, this.bodies);
  }

  /**
   * Opens a request of an endpoint's owner or of the operator, who are identified and may use the endpoint. Its body may be read
   * at once.
   */
  openManagedRequest(
    request: FastifyRequest,
    { endpointId, ownerId, sender }: ManagedEndpoint,
    entryPoint: Exclude<EntryPoint, 'tools'>,
  ): GateRequest {
    if (entryPoint === 'endpoint') openLogEntry(request);
    const fetch = async (): Promise<EndpointSnapshot | null> => {
      const slug = await this.endpoints.findSlugById(endpointId);
      return slug === null ? null : this.endpoints.loadCurrent(slug);
    };
    const gateRequest = new GateRequest(request, entryPoint, () => null, fetch, this.bodies, sender);
    gateRequest.body.keep(ownerId);
    return gateRequest;
  }

  /**
   * Admits a request by the cached snapshot, which most requests do not have to wait for, or else by a fresh one.
   * @throws HttpProblem: a GateRejection, or 503 if too many requests wait to be authenticated (ADR-88)
   */
  admit(gateRequest: GateRequest, findRejection: SnapshotCheck): EndpointSnapshot | Promise<EndpointSnapshot> {
    const { body, sender } = gateRequest;
    if (sender !== null) return this.readmit(gateRequest, findRejection);
    const cached = gateRequest.cachedSnapshot();
    const failure = cached ? this.authentication.findHeadFailure(gateRequest, cached) : 'not_cached';
    if (!cached || failure !== null || cached.require_signature) {
      body.wait();
      return this.admitAfterWaiting(gateRequest, findRejection, cached, failure);
    }
    body.keep(cached.owner_id);
    // An unauthenticated request has its rejection created once, by `readmit`: creating it twice would take longer.
    if (findRejection(gateRequest, cached, null)) return this.readmit(gateRequest, findRejection);
    setLogEndpoint(gateRequest.request, cached);
    return cached;
  }

  /**
   * Admits or rejects every request that the head alone and the cached snapshot do not authenticate. There is one path for all
   * causes: were it shorter for one of them, its 401 would be sent before the others that are due at the same moment (D-7).
   * @param headFailure the authentication failure by the cached snapshot, the signature left aside
   */
  private async admitAfterWaiting(
    gateRequest: GateRequest,
    findRejection: SnapshotCheck,
    cached: EndpointSnapshot | null,
    headFailure: string | null,
  ): Promise<EndpointSnapshot> {
    if (cached && headFailure === null) {
      const failure = await this.authentication.findFailure(gateRequest, cached);
      if (failure === null) gateRequest.body.keep(cached.owner_id);
      if (failure === null && !findRejection(gateRequest, cached, null)) {
        setLogEndpoint(gateRequest.request, cached);
        return cached;
      }
    } else {
      if (!gateRequest.body.hasArrived) this.judgeWhileReading(gateRequest).catch(() => undefined); // `readmit` reports it
      // Fetching a snapshot takes time. Delaying the wait for the body for one cause alone would reveal that cause (D-7).
      await gateRequest.waitForBody();
    }
    return this.readmit(gateRequest, findRejection);
  }

  /**
   * Judges a request by its head and a fresh snapshot while its body still arrives. The bytes of a body whose request is not
   * authenticated, whatever they are, are dropped from then on.
   */
  private async judgeWhileReading(gateRequest: GateRequest): Promise<void> {
    const endpoint = await gateRequest.fetchSnapshot();
    const failure = this.authentication.findHeadFailure(gateRequest, endpoint);
    if (failure !== null) gateRequest.dropBody(failure);
    else if (endpoint!.require_signature) await this.authentication.startSignature(gateRequest, endpoint!);
    else gateRequest.body.keep(endpoint!.owner_id);
  }

  /** Admits a request by a fresh snapshot of its endpoint. @throws GateRejection */
  async readmit(gateRequest: GateRequest, findRejection: SnapshotCheck): Promise<EndpointSnapshot> {
    const endpoint = await gateRequest.fetchSnapshot();
    if (endpoint) setLogEndpoint(gateRequest.request, endpoint);
    const failure = await this.authentication.findFailure(gateRequest, endpoint);
    if (failure === null) gateRequest.body.keep(endpoint!.owner_id);
    else gateRequest.body.drop();
    const rejection = findRejection(gateRequest, endpoint, failure);
    if (!rejection) return endpoint!;
    if (rejection.status === 401) await this.delayUnauthorized(gateRequest, endpoint);
    if (rejection.decision === 'rejected_tier' && endpoint!.disabled_by === null)
      await this.disableForPlan(gateRequest, endpoint!);
    throw rejection;
  }

  /** Rejects a request under maintenance. @throws GateRejection */
  async reject({ body, cachedSnapshot, fetchSnapshot }: GateRequest): Promise<never> {
    body.drop();
    // The endpoint's log gets the rejection if the endpoint can be found: the database itself may be under maintenance.
    const found = Promise.race([fetchSnapshot().catch(() => null), sleep(MAINTENANCE_LOOKUP_MS, null)]);
    throw maintenanceRejection(cachedSnapshot() ?? (await found));
  }

  /** Waits until the 401 is due. The service's own log alone gets a request to an unknown slug (D-14). */
  private async delayUnauthorized(
    { request, body, unauthorizedDelay }: GateRequest,
    endpoint: EndpointSnapshot | null,
  ): Promise<void> {
    if (!endpoint) this.unknownSlugs.add({ request_id: request.id, ip: request.clientAddress });
    await unauthorizedDelay.elapse(body.received);
  }

  private async disableForPlan(
    { request }: GateRequest,
    { endpoint_id, epoch, plan }: EndpointSnapshot,
  ): Promise<void> {
    await this.commands.execute(new DisableEndpoint(endpoint_id, 'plan', epoch, planWithoutInputReason(plan), request));
  }
}
