import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { DisableEndpoint, planWithoutInputReason } from '../../../commands/endpoint/disable-endpoint.js';
import { type Log, LOG } from '../../../kernel/log.js';
import { type EndpointSnapshot, EndpointSnapshots } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { Authentication } from './authentication.js';
import { readBearerToken } from './credentials.js';
import type { GateRejection } from './gate-rejection.js';
import { GateRequest } from './gate-request.js';
import { maintenanceRejection } from './rejections.js';
import { openLogEntry, setLogEndpoint } from './request-log-entry.js';
import type { SigningSecrets } from './streaming-signature.js';

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
  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly endpoints: EndpointSnapshots,
    private readonly authentication: Authentication,
    private readonly commands: CommandBus,
  ) {}

  private readonly loadSecrets = (endpoint: EndpointSnapshot | null): Promise<SigningSecrets> =>
    this.authentication.loadTwoSecrets(endpoint);

  /** Opens a request to an endpoint's own routes, and its entry in the request log. */
  openEndpointRequest(request: FastifyRequest, slug: string): GateRequest {
    openLogEntry(request);
    const address = SLUG.test(slug) ? slug : ''; // no endpoint has the empty slug
    const cached = () => this.endpoints.getCached(address);
    return new GateRequest(request, 'endpoint', cached, () => this.endpoints.loadCurrent(address), this.loadSecrets);
  }

  /** Opens a request to the sandbox, which finds its endpoint by the token (D-12). */
  openSandboxRequest(request: FastifyRequest): GateRequest {
    const token = hash('sha256', readBearerToken(request.headers.authorization));
    const fetch = async (): Promise<EndpointSnapshot | null> => {
      const slug = await this.endpoints.findSlugByTokenHash(token);
      return slug === null ? null : this.endpoints.loadCurrent(slug);
    };
    return new GateRequest(request, 'sandbox', () => null, fetch, this.loadSecrets);
  }

  /**
   * Admits a request by the cached snapshot, which most requests do not have to wait for, or else by a fresh one.
   * @throws GateRejection
   */
  admit(gateRequest: GateRequest, findRejection: SnapshotCheck): EndpointSnapshot | Promise<EndpointSnapshot> {
    const cached = gateRequest.cachedSnapshot();
    const failure = cached ? this.authentication.findFailure(gateRequest, cached) : 'not_cached';
    // An unauthenticated request has its rejection created once, by `readmit`: creating it twice would take longer.
    const isAdmitted = cached !== null && failure === null && !findRejection(gateRequest, cached, null);
    if (!isAdmitted) return this.admitAfterWaiting(gateRequest, findRejection, cached, failure);
    setLogEndpoint(gateRequest.request, cached);
    return cached;
  }

  /**
   * Admits or rejects every request that is not admitted at once. There is one path for all causes: were it shorter for one
   * of them, its 401 would be sent before the others that are due at the same moment (D-7).
   * @param judged the authentication failure by the cached snapshot
   */
  private async admitAfterWaiting(
    gateRequest: GateRequest,
    findRejection: SnapshotCheck,
    cached: EndpointSnapshot | null,
    judged: string | null | Promise<string | null>,
  ): Promise<EndpointSnapshot> {
    const failure = await judged;
    if (cached && failure === null && !findRejection(gateRequest, cached, null)) {
      setLogEndpoint(gateRequest.request, cached);
      return cached;
    }
    // Fetching a snapshot takes time. Delaying the wait for the body for one cause alone would reveal that cause (D-7).
    if (failure !== null) await gateRequest.unauthorizedDelay.waitForBody(gateRequest.body);
    return this.readmit(gateRequest, findRejection);
  }

  /** Admits a request by a fresh snapshot of its endpoint. @throws GateRejection */
  async readmit(gateRequest: GateRequest, findRejection: SnapshotCheck): Promise<EndpointSnapshot> {
    const endpoint = await gateRequest.fetchSnapshot();
    if (endpoint) setLogEndpoint(gateRequest.request, endpoint);
    const failure = await this.authentication.findFailure(gateRequest, endpoint);
    const rejection = findRejection(gateRequest, endpoint, failure);
    if (!rejection) return endpoint!;
    if (rejection.decision === 'rejected_auth') await this.delayUnauthorized(gateRequest, endpoint);
    if (rejection.decision === 'rejected_tier' && endpoint!.disabled_by === null)
      await this.disableForPlan(gateRequest, endpoint!);
    throw rejection;
  }

  /** Rejects a request under maintenance. @throws GateRejection */
  async reject({ cachedSnapshot, fetchSnapshot }: GateRequest): Promise<never> {
    // The endpoint's log gets the rejection if the endpoint can be found: the database itself may be under maintenance.
    const found = Promise.race([fetchSnapshot().catch(() => null), sleep(MAINTENANCE_LOOKUP_MS, null)]);
    throw maintenanceRejection(cachedSnapshot() ?? (await found));
  }

  /** Waits until the 401 is due. The service's own log alone gets a request to an unknown slug (D-14). */
  private async delayUnauthorized(
    { request, body, unauthorizedDelay }: GateRequest,
    endpoint: EndpointSnapshot | null,
  ): Promise<void> {
    if (!endpoint) this.log.info({ request_id: request.id, ip: request.clientAddress }, 'request to an unknown slug');
    await unauthorizedDelay.elapse(body);
  }

  private async disableForPlan(
    { request }: GateRequest,
    { endpoint_id, epoch, plan }: EndpointSnapshot,
  ): Promise<void> {
    await this.commands.execute(
      new DisableEndpoint(endpoint_id, 'plan', epoch, planWithoutInputReason(plan), request.id),
    );
  }
}
