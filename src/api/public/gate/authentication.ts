import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Clock, CLOCK } from '../../../kernel/clock.js';
import type { EndpointAccess } from '../../../projections/discovery/endpoint-access.queries.js';
import { SecretVault } from '../../../secrets/vault.js';
import {
  addressAllowed,
  bearerToken,
  isOneOf,
  signatureMatches,
  timestampAccepted,
  tokenMatches,
} from './credentials.js';
import type { Secrets } from './streaming-signature.js';
import type { Visit } from './gate-request.js';

/** What an unknown slug is compared with, so that it costs what a known one does. */
const NOBODY = { token_hash: '0'.repeat(64), ip_allowlist: [], require_timestamp: false, require_signature: false };
const NO_SECRET = '0'.repeat(43);

/** What is wrong with a request's authentication; null: nothing. */
type Failure = string | null;

/** Whether a request is who it says it is (publish-api.md: Authentication). */
@Injectable()
export class Authentication {
  /** Headers, by their names. */
  private readonly timestamp: string;
  private readonly signature: string;

  constructor(
    @Inject(SETTINGS) { brand }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly vault: SecretVault,
  ) {
    this.timestamp = `x-${brand}-timestamp`;
    this.signature = `x-${brand}-client-signature`;
  }

  /**
   * Null where it is; else the cause, which is for the log alone (publish-api.md: Authentication, 8). The body is waited for only
   * where its signature is to be checked (D-7). @param endpoint null: there is none at this address
   */
  failureOf(visit: Visit, endpoint: EndpointAccess | null): Failure | Promise<Failure> {
    const { request, door } = visit;
    const { headers, clientAddress, method } = request;
    const timestamp = headers[this.timestamp] as string | undefined;
    const { token_hash, ip_allowlist, require_timestamp, require_signature } = endpoint ?? NOBODY;

    // Where the token is wrong every check is made all the same: what it costs tells nothing about where it failed.
    const tokenIsRight = tokenMatches(bearerToken(headers.authorization), token_hash);
    const addressIsAllowed = (tokenIsRight && ip_allowlist.length === 0) || addressAllowed(clientAddress, ip_allowlist);
    const timestampIsNeeded = require_timestamp || (require_signature && method !== 'POST'); // D-13
    const timestampIsRight = !timestampIsNeeded || timestampAccepted(timestamp, this.clock.now());
    if (!endpoint) return 'unknown_slug';
    if (!tokenIsRight) return 'bad_token';
    if (endpoint.mode !== 'live' && door === 'endpoint') return 'test_token'; // D-12
    if (!addressIsAllowed) return 'ip_not_allowed';
    if (!timestampIsRight) return 'bad_timestamp';
    return require_signature ? this.signatureFailureOf(visit, endpoint, timestamp) : null;
  }

  /** What a body that is not kept is signed with while it passes: always two, so that it costs the same whosever it is. */
  async twoSecretsOf(endpoint: EndpointAccess | null): Promise<Secrets> {
    const secrets = endpoint ? await this.signingSecrets(endpoint) : [];
    return new Map([...secrets, ['nobody', NO_SECRET] as const, ['nobody else', NO_SECRET] as const].slice(0, 2));
  }

  private async signatureFailureOf(
    visit: Visit,
    endpoint: EndpointAccess,
    timestamp: string | undefined,
  ): Promise<Failure> {
    const { headers, method } = visit.request;
    const signature = headers[this.signature] as string | undefined;
    const read = await visit.unauthorized.comes(visit.body);
    if (!read) return 'body_withheld'; // to wait for longer would tell that all the rest is right
    const secrets = await this.signingSecrets(endpoint);
    const isBodySigned = method === 'POST';
    if (isBodySigned && !read.ok) {
      if (read.problem.code !== 'body_too_large') return read.problem.code; // it was never sent as a whole
      const made = await visit.passing!.signatures();
      const wanted = secrets.flatMap(([id]) => made.get(id) ?? []);
      return isOneOf(signature, wanted) ? null : 'bad_signature';
    }
    const signed = isBodySigned && read.ok ? read.bytes : `${method}\n${pathOf(visit.request)}\n${timestamp}`;
    const its = secrets.map(([, secret]) => secret);
    return signatureMatches(signature, signed, its) ? null : 'bad_signature';
  }

  /** By their ids; two while one is being rotated (D-40). */
  private async signingSecrets(endpoint: EndpointAccess): Promise<(readonly [id: string, secret: string])[]> {
    const ids = [endpoint.signing_secret_id];
    if (endpoint.previous_secret_id && endpoint.previous_until > this.clock.now())
      ids.push(endpoint.previous_secret_id);
    const opened = await Promise.all(ids.map(async (id) => [id, (await this.vault.get(id))?.secret] as const));
    return opened.flatMap(([id, secret]) => (secret ? [[id, secret] as const] : []));
  }
}

/** The path exactly as it was sent, without the query (D-13). */
const pathOf = ({ raw }: FastifyRequest): string => raw.url!.split('?', 1)[0]!;
