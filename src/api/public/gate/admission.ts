import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { DisableEndpoint, withoutInput as planWithoutInput } from '../../../commands/endpoint/disable-endpoint.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Log, LOG } from '../../../kernel/log.js';
import { type EndpointAccess, EndpointAccessQueries } from '../../../projections/discovery/endpoint-access.queries.js';
import { Authentication } from './authentication.js';
import { bearerToken } from './credentials.js';
import type { Refusal } from './refusal.js';
import { switchedOff, unauthorized, underMaintenance, unsuitableMediaType, withoutInput } from './refusals.js';
import { noteEndpoint, takeNotes } from './request-notes.js';
import type { Secrets } from './streaming-signature.js';
import { Visit } from './gate-request.js';

const MAINTENANCE_LOOK_MS = 500;
const SLUG = /^[\w-]{1,64}$/;

/**
 * The first half of D-7's order: maintenance, authentication, the endpoint's state, the plan, the media type. The picture
 * that an endpoint is judged by may come from memory; nobody is turned away before a fresh one was asked as well.
 */
@Injectable()
export class Entrance {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly endpoints: EndpointAccessQueries,
    private readonly authentication: Authentication,
    private readonly commands: CommandBus,
  ) {}

  private readonly secrets = (endpoint: EndpointAccess | null): Promise<Secrets> =>
    this.authentication.twoSecretsOf(endpoint);

  /** A request to an endpoint's own routes. */
  toEndpoint(request: FastifyRequest, slug: string): Visit {
    takeNotes(request);
    const address = SLUG.test(slug) ? slug : ''; // which nobody has
    const known = () => this.endpoints.known(address);
    return new Visit(request, 'endpoint', known, () => this.endpoints.fresh(address), this.secrets);
  }

  /** A request to the sandbox, which finds its endpoint by the token (D-12). */
  toSandbox(request: FastifyRequest): Visit {
    const token = hash('sha256', bearerToken(request.headers.authorization));
    const fresh = async (): Promise<EndpointAccess | null> => {
      const slug = await this.endpoints.slugOfToken(token);
      return slug === null ? null : this.endpoints.fresh(slug);
    };
    return new Visit(request, 'sandbox', () => null, fresh, this.secrets);
  }

  /**
   * Lets a request in by the picture in memory, which most need not wait for, or else by a fresh one.
   * @throws Refusal under maintenance too
   */
  enter(visit: Visit): EndpointAccess | Promise<EndpointAccess> {
    if (this.settings.maintenance) return this.turnAway(visit);
    const known = visit.known();
    const failure = known ? this.authentication.failureOf(visit, known) : 'not_known';
    // A refusal is made once, further on: whoever has one made twice takes longer.
    const isIn = known !== null && failure === null && !this.refusalOf(visit, known, null);
    if (!isIn) return this.enterWithDoubt(visit, known, failure);
    noteEndpoint(visit.request, known);
    return known;
  }

  /**
   * One way for all who are not let in at once: were it shorter for some cause, its 401 would leave earlier than those that
   * are due at the same moment (D-7). @param judged their authentication, by the picture in memory
   */
  private async enterWithDoubt(
    visit: Visit,
    known: EndpointAccess | null,
    judged: string | null | Promise<string | null>,
  ): Promise<EndpointAccess> {
    const failure = await judged;
    if (known && failure === null && !this.refusalOf(visit, known, null)) {
      noteEndpoint(visit.request, known);
      return known;
    }
    // To ask for a fresh picture takes time. What is in the way of the body for one cause alone would tell it (D-7).
    if (failure !== null) await visit.unauthorized.comes(visit.body);
    return this.enterAfresh(visit);
  }

  /** Lets a request in by its endpoint as that is now. @throws Refusal */
  async enterAfresh(visit: Visit): Promise<EndpointAccess> {
    const endpoint = await visit.fresh();
    if (endpoint) noteEndpoint(visit.request, endpoint);
    const refusal = this.refusalOf(visit, endpoint, await this.authentication.failureOf(visit, endpoint));
    if (!refusal) return endpoint!;
    if (refusal.decision === 'rejected_auth') await this.unauthorizedIsDue(visit, endpoint);
    if (refusal.decision === 'rejected_tier' && endpoint!.disabled_by === null)
      await this.disableForPlan(visit, endpoint!);
    throw refusal;
  }

  private async turnAway({ known, fresh }: Visit): Promise<never> {
    // The endpoint's log tells of it where the endpoint can be found; what is being worked on may be the database.
    const found = Promise.race([fresh().catch(() => null), sleep(MAINTENANCE_LOOK_MS, null)]);
    throw underMaintenance(known() ?? (await found));
  }

  /**
   * What is to be said against a request, by one picture of its endpoint; null: nothing.
   * @param failure of its authentication
   */
  private refusalOf({ request, door }: Visit, endpoint: EndpointAccess | null, failure: string | null): Refusal | null {
    if (failure !== null) return unauthorized(endpoint, failure);
    const off = switchedOff(endpoint!, door);
    if (off) return off;
    const hasInput = this.settings.limitsProfile.plans[endpoint!.plan].webhookInput;
    if (!hasInput && door === 'endpoint') return withoutInput(endpoint!);
    return request.method === 'POST' ? unsuitableMediaType(endpoint!, request.headers['content-type']) : null;
  }

  private async unauthorizedIsDue({ request, body, unauthorized: time }: Visit, endpoint: EndpointAccess | null) {
    if (!endpoint) this.log.info({ request_id: request.id, ip: request.clientAddress }, 'a request to an unknown slug'); // D-14
    await time.isDue(body);
  }

  private async disableForPlan({ request }: Visit, { endpoint_id, epoch, plan }: EndpointAccess): Promise<void> {
    await this.commands.execute(new DisableEndpoint(endpoint_id, 'plan', epoch, planWithoutInput(plan), request.id));
  }
}
