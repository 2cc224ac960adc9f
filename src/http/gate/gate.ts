import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { DisableEndpoint } from '../../commands/disable-endpoint.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { type Log, LOG } from '../../kernel/log.js';
import { type EndpointAccess, EndpointAccessQueries } from '../../projections/discovery/endpoint-access.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { HttpProblem } from '../http-problem.js';
import { readBody } from '../raw-body.js';
import { addressAllowed, bearerToken, signatureMatches, timestampAccepted, tokenMatches } from './credentials.js';
import { Refusal } from './refusal.js';
import { whenUnauthorizedIsDue } from './unauthorized-time.js';

/** A request that may go on: who asks, and the body exactly as it came. */
export interface Admitted {
  readonly endpoint: EndpointAccess;
  readonly body: Buffer;
}

/** What an unknown slug is compared with, so that it costs what a known one does. */
const NOBODY = { token_hash: '0'.repeat(64), ip_allowlist: [], require_timestamp: false, require_signature: false };
const NO_SECRET = ['0'.repeat(43)];

/**
 * The order in which a request to an endpoint is judged (D-7), up to where publishing, pausing and discovery part:
 * maintenance, authentication, the endpoint's state, the plan, the media type.
 */
@Injectable()
export class Gate {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly endpoints: EndpointAccessQueries,
    private readonly vault: SecretVault,
    private readonly commands: CommandBus,
  ) {}

  /** @throws Refusal, which names the endpoint where one was reached, so that its log can tell the cause. */
  admit(request: FastifyRequest, slug: string): Promise<Admitted> {
    return this.enter(request, () => this.endpoints.fresh(slug), 'live');
  }

  /**
   * The sandbox finds its endpoint by the token, which may be a test token; it is for every plan (D-12), so of what may
   * have switched an endpoint off its owner alone counts. @throws Refusal
   */
  admitToSandbox(request: FastifyRequest): Promise<Admitted> {
    const token = hash('sha256', bearerToken(request.headers.authorization));
    const find = async () => {
      const slug = await this.endpoints.slugOfToken(token);
      return slug === null ? null : this.endpoints.fresh(slug);
    };
    return this.enter(request, find, 'sandbox');
  }

  private async enter(
    request: FastifyRequest,
    find: () => Promise<EndpointAccess | null>,
    place: 'live' | 'sandbox',
  ): Promise<Admitted> {
    if (this.settings.maintenance) throw maintenance();
    const body = readBody(request);
    body.catch(() => undefined); // awaited below, unless authentication fails first
    const unauthorizedIsDue = whenUnauthorizedIsDue(body);
    const endpoint = await find();
    const cause = await this.authenticate(request, endpoint, body, place);
    if (cause !== null) {
      if (!endpoint) this.log.info({ request_id: request.id, ip: request.ip, cause }, 'a request to an unknown slug');
      await unauthorizedIsDue;
      throw unauthorized(endpoint, cause);
    }
    await this.checkState(endpoint!, request.id, place);
    const bytes = await body.catch((error: unknown) => {
      throw error instanceof HttpProblem ? new Refusal(endpoint, 'rejected_validation', error.code, error) : error;
    });
    if (request.method === 'POST') checkMediaType(endpoint!, request.contentTypeSent);
    return { endpoint: endpoint!, body: bytes };
  }

  /** Null where the request is who it says it is; else the cause, for the log alone (spec: Authentication, 8). */
  private async authenticate(
    request: FastifyRequest,
    endpoint: EndpointAccess | null,
    body: Promise<Buffer>,
    place: 'live' | 'sandbox',
  ): Promise<string | null> {
    const { headers, ip, method } = request;
    const prefix = `x-${this.settings.brand}-`;
    const timestamp = headers[`${prefix}timestamp`] as string | undefined;
    const { token_hash, ip_allowlist, require_timestamp, require_signature } = endpoint ?? NOBODY;

    // Every check is made whatever the others say: what it costs tells nothing about where it failed.
    const tokenIsRight = tokenMatches(bearerToken(headers.authorization), token_hash);
    const addressIsAllowed = addressAllowed(ip, ip_allowlist);
    const timestampIsNeeded = require_timestamp || (require_signature && method === 'GET'); // D-13
    const timestampIsRight = !timestampIsNeeded || timestampAccepted(timestamp, this.clock.now());
    const cause = !endpoint
      ? 'unknown_slug'
      : !tokenIsRight
        ? 'bad_token'
        : endpoint.mode !== 'live' && place === 'live'
          ? 'test_token' // D-12
          : !addressIsAllowed
            ? 'ip_not_allowed'
            : !timestampIsRight
              ? 'bad_timestamp'
              : null;
    if (cause !== null || !require_signature) return cause;
    const signed =
      method === 'GET' ? `${method}\n${pathOf(request)}\n${timestamp}` : await body.catch(() => Buffer.alloc(0));
    const secrets = await this.signingSecrets(endpoint!);
    const signature = headers[`${prefix}client-signature`] as string | undefined;
    return signatureMatches(signature, signed, secrets) ? null : 'bad_signature';
  }

  private async signingSecrets(endpoint: EndpointAccess): Promise<string[]> {
    const ids = [endpoint.signing_secret_id];
    if (endpoint.previous_secret_id && endpoint.previous_until > this.clock.now())
      ids.push(endpoint.previous_secret_id);
    const opened = await Promise.all(ids.map((id) => this.vault.get(id)));
    const secrets = opened.flatMap((secret) => (secret?.secret ? [secret.secret] : []));
    return secrets.length > 0 ? secrets : NO_SECRET;
  }

  private async checkState(endpoint: EndpointAccess, requestId: string, place: 'live' | 'sandbox'): Promise<void> {
    if (place === 'sandbox' && endpoint.disabled_by !== 'owner') return;
    switch (endpoint.disabled_by) {
      case 'owner': {
        const message = 'The endpoint is switched off. Switch it on in the console, or ask its owner.';
        throw new Refusal(
          endpoint,
          'rejected_paused',
          'disabled_by_owner',
          HttpProblem.of(403, 'endpoint_disabled', message),
        );
      }
      case 'rate_limits': {
        const message =
          'The endpoint was switched off after repeated rate-limit violations. Its owner has to switch it on again.';
        throw new Refusal(
          endpoint,
          'rejected_paused',
          'disabled_by_rate_limits',
          HttpProblem.of(503, 'endpoint_paused', message),
        );
      }
      case 'plan':
        throw tierRejected(endpoint);
      case null:
        break;
    }
    if (this.settings.limitsProfile.plans[endpoint.plan].webhookInput) return;
    await this.commands.execute(
      new DisableEndpoint(endpoint.endpoint_id, 'plan', `the plan "${endpoint.plan}" has no webhook input`, requestId),
    );
    throw tierRejected(endpoint);
  }
}

/** The path exactly as it was sent, without the query (D-13). */
const pathOf = ({ raw }: FastifyRequest): string => raw.url!.split('?', 1)[0]!;

/** `application/json`; a charset, where one is given, is utf-8; other parameters are ignored (D-43). */
const checkMediaType = (endpoint: EndpointAccess, contentType: string | undefined): void => {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (type === 'application/json' && isUtf8) return;
  const shown = contentType === undefined ? 'none' : `"${contentType.slice(0, 100)}"`;
  const problem = HttpProblem.of(
    415,
    'unsupported_media_type',
    `Content-Type is ${shown}: send application/json, in UTF-8.`,
  );
  throw new Refusal(endpoint, 'rejected_validation', 'unsupported_media_type', problem);
};

const maintenance = (): Refusal => {
  const message = 'The service is under maintenance. Send the same request again later.';
  return new Refusal(
    null,
    'rejected_disabled',
    'maintenance',
    HttpProblem.of(503, 'maintenance', message, { 'retry-after': '60' }),
  );
};

/** The one 401 there is: the same body and headers for every cause. */
const unauthorized = (endpoint: EndpointAccess | null, cause: string): Refusal =>
  new Refusal(endpoint, 'rejected_auth', cause, HttpProblem.of(401, 'unauthorized', 'Unauthorized.'));

const tierRejected = (endpoint: EndpointAccess): Refusal => {
  const message =
    'The plan does not allow posting through webhooks. Upgrade the plan, then switch the endpoint on again.';
  return new Refusal(endpoint, 'rejected_tier', 'plan_without_input', HttpProblem.of(503, 'plan_not_allowed', message));
};
