import { createHmac, hash, type Hmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { CLOCK, type Clock, ifLater } from '../../../kernel/clock.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { SecretVault } from '../../../secrets/vault.js';
import {
  isAddressAllowed,
  isSignatureValid,
  isTimestampAccepted,
  isTokenValid,
  matchesAnySignature,
  measureSkew,
  readBearerToken,
  readHeaderText,
  sign,
} from '../../transport/headers.js';
import { hasBody } from '../../transport/raw-body.js';
import type { GateRequest } from './gate-request.js';

/** Stands in for the endpoint if the slug is unknown, so that the checks take as long as for a real endpoint. */
const NO_ENDPOINT = {
  token_hash: '0'.repeat(64),
  ip_allowlist: [],
  require_timestamp: false,
  require_signature: false,
};

/** Names of the headers that contain the brand. */
export interface BrandHeaders {
  readonly timestamp: string;
  readonly signature: string;
  /** The signing secret, which an assistant's client sends (publish-api.md: Assistant tool server). */
  readonly secret: string;
}

/** Returns the names of the headers that contain the brand. */
export const nameHeaders = (brand: string): BrandHeaders => ({
  timestamp: `x-${brand}-timestamp`,
  signature: `x-${brand}-client-signature`,
  secret: `x-${brand}-hmac-secret`,
});

/** The reason why authentication failed; null if it succeeded. */
type Failure = string | null;

/** Authenticates requests by token, address, timestamp and signature (publish-api.md: Authentication). */
@Injectable()
export class Authentication {
  private readonly names: BrandHeaders;

  constructor(
    @Inject(SETTINGS) { brand }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly vault: SecretVault,
  ) {
    this.names = nameHeaders(brand);
  }

  /**
   * Returns why authentication failed, for the log only (publish-api.md: Authentication, 8); null if it succeeded.
   * Waits for the body only if its signature has to be checked (D-7). A sender with a management key needs neither
   * token nor signature.
   */
  findFailure(gateRequest: GateRequest, endpoint: EndpointSnapshot | null): Failure | Promise<Failure> {
    if (gateRequest.sender !== null) return endpoint ? null : 'unknown_endpoint';
    const failure = this.findHeadFailure(gateRequest, endpoint);
    if (gateRequest.droppedFor !== null) return gateRequest.droppedFor;
    if (failure !== null || !endpoint!.require_signature) return failure;
    return this.findSignatureFailure(gateRequest, endpoint!);
  }

  /** Returns why a request's head fails authentication, regardless of its signature; null if it passes. */
  findHeadFailure(
    { request, entryPoint }: Pick<GateRequest, 'request' | 'entryPoint'>,
    endpoint: EndpointSnapshot | null,
  ): Failure {
    const { headers, clientAddress } = request;
    const { token_hash, ip_allowlist, require_timestamp, require_signature } = endpoint ?? NO_ENDPOINT;

    // A wrong token does not skip the other checks: the response time must not reveal which check failed.
    const tokenIsRight = isTokenValid(readBearerToken(headers.authorization), token_hash);
    const addressIsAllowed =
      (tokenIsRight && ip_allowlist.length === 0) || isAddressAllowed(clientAddress, ip_allowlist);
    // D-13, D-91, D-102
    const isTimestampSigned = require_signature && (!hasBody(request) || namesPost(request) || isUpload(request));
    const timestampIsNeeded = entryPoint !== 'tools' && (require_timestamp || isTimestampSigned);
    const timestampIsRight =
      !timestampIsNeeded || isTimestampAccepted(headers[this.names.timestamp] as string | undefined, this.clock.now());
    if (!endpoint) return 'unknown_slug';
    if (!tokenIsRight) return 'bad_token';
    if (endpoint.mode !== 'live' && entryPoint !== 'sandbox') return 'test_token'; // D-12
    if (!addressIsAllowed) return 'ip_not_allowed';
    return timestampIsRight ? null : 'bad_timestamp';
  }

  /**
   * Returns why an upload's head fails authentication; null if it passes. The signature covers the declared digest of
   * the body, so that no byte of it is needed (D-91).
   */
  async findUploadFailure(request: FastifyRequest, endpoint: EndpointSnapshot | null): Promise<Failure> {
    const failure = this.findHeadFailure({ request, entryPoint: 'endpoint' }, endpoint);
    if (failure !== null || !endpoint!.require_signature) return failure;
    const digest = readHeaderText(request, 'content-digest') ?? '';
    if (!/(^|,)\s*sha-256=/i.test(digest)) return 'digest_missing';
    const signature = request.headers[this.names.signature] as string | undefined;
    const secrets = valuesOf(await this.loadSigningSecrets(endpoint!));
    const signed = `${this.describeHead(request)}\n${digest}`;
    return failureOfSignature(signature, isSignatureValid(signature, [signed], secrets));
  }

  /**
   * Returns the client's time minus the server's, in seconds, for the request log; null if no Unix time was sent.
   * Called for every 401, so that all take equally long.
   */
  measureClockSkew({ headers }: FastifyRequest): number | null {
    return measureSkew(headers[this.names.timestamp] as string | undefined, this.clock.now());
  }

  /** Loads an endpoint's secrets and uses them to sign the body as it arrives. */
  async startSignature(gateRequest: GateRequest, endpoint: EndpointSnapshot): Promise<void> {
    const secrets = new Map(await this.loadSigningSecrets(endpoint));
    gateRequest.signWhileReading(secrets, this.findSignedHead(gateRequest.request));
  }

  private async findSignatureFailure(gateRequest: GateRequest, endpoint: EndpointSnapshot): Promise<Failure> {
    const { headers } = gateRequest.request;
    const signature = headers[this.names.signature] as string | undefined;
    const isBodySigned = hasBody(gateRequest.request);
    const { body: reader } = gateRequest;
    const arrived = gateRequest.waitForBody();
    arrived.catch(() => undefined); // reported below
    if (isBodySigned && (!reader.hasArrived || reader.isOversized)) await this.startSignature(gateRequest, endpoint);
    const body = await arrived;
    if (!body) return 'body_withheld'; // waiting longer would reveal that all other checks passed
    const secrets = await this.loadSigningSecrets(endpoint);
    if (gateRequest.entryPoint === 'tools') return findSecretFailure(headers[this.names.secret], valuesOf(secrets));
    if (!isBodySigned) {
      const signed = this.describeHead(gateRequest.request);
      return failureOfSignature(signature, isSignatureValid(signature, [signed], valuesOf(secrets)));
    }
    const head = this.findSignedHead(gateRequest.request);
    if (body.ok && !gateRequest.streamingSignature)
      return failureOfSignature(signature, isSignatureValid(signature, [head, body.bytes], valuesOf(secrets)));
    if (!body.ok && body.problem.code !== 'body_too_large') return body.problem.code; // the body is incomplete
    const digests = gateRequest.streamingSignature!.digests();
    // A secret that became valid while the body arrived has no digest. If the body is too large to be kept, the check
    // fails.
    const expected = secrets.flatMap(
      ([id, secret]) => digests.get(id) ?? (body.ok ? [sign([head, body.bytes], secret)] : []),
    );
    return failureOfSignature(signature, matchesAnySignature(signature, expected));
  }

  /** Returns what the signature covers before the body: nothing, unless the route names a post (D-102). */
  private findSignedHead(request: FastifyRequest): string {
    return namesPost(request) ? `${this.describeHead(request)}\n` : '';
  }

  private describeHead(request: FastifyRequest): string {
    return `${request.method}\n${readSentPath(request)}\n${request.headers[this.names.timestamp] as string}`;
  }

  /** Returns the endpoint's secrets with their ids: two while one is being rotated (D-40). */
  private async loadSigningSecrets(endpoint: EndpointSnapshot): Promise<(readonly [id: string, secret: string])[]> {
    const { signing_secret_id, previous_secret } = endpoint;
    const ids = [signing_secret_id];
    if (previous_secret && ifLater(previous_secret.until, this.clock.now())) ids.push(previous_secret.secret_id);
    const opened = await Promise.all(ids.map(async (id) => [id, (await this.vault.readSecret(id))?.secret] as const));
    return opened.flatMap(([id, secret]) => (secret ? [[id, secret] as const] : []));
  }
}

/**
 * Returns why a checked signature is invalid; null if it is valid. Before this is called, even a missing signature must
 * have been compared like any other.
 */
const failureOfSignature = (header: string | string[] | undefined, isValid: boolean): Failure => {
  if (isValid) return null;
  return header === undefined || header === '' ? 'signature_missing' : 'bad_signature';
};

/** Returns why a secret sent instead of a signature is invalid; null if it is valid. Takes constant time. */
const findSecretFailure = (sent: string | string[] | undefined, secrets: readonly string[]): Failure => {
  const digest = (text: string): Buffer => Buffer.from(hash('sha256', text), 'hex');
  const sentDigest = digest(typeof sent === 'string' ? sent.trim() : '');
  let matches = false;
  for (const secret of secrets) if (timingSafeEqual(digest(secret), sentDigest)) matches = true;
  return failureOfSignature(sent, matches);
};

const valuesOf = (secrets: readonly (readonly [id: string, secret: string])[]): string[] =>
  secrets.map(([, secret]) => secret);

/** True for routes that change one post. A captured change must not serve for another post (D-102). */
const namesPost = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url?.includes('/:post_id') ?? false;

/** True for the route that takes files. */
const isUpload = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url === '/v1/media';

/** Returns the path exactly as it was sent, without the query (D-13). */
const readSentPath = ({ raw }: FastifyRequest): string => raw.url!.split('?', 1)[0]!;

/** Signing secrets, by id. */
export type SigningSecrets = ReadonlyMap<string, string>;

/** Placeholder for a missing secret. */
const NO_SECRET = '0'.repeat(43);

/** Number of secrets used to sign every body. An endpoint has two while its secret is being rotated (D-40). */
const SECRETS = 2;

/**
 * Computes a body's signatures as it arrives. This way, the signature of a body that is too large to keep can be
 * checked before the body is rejected (D-5, D-7), and dropping a body takes as long as keeping it (ADR-88).
 */
export class StreamingSignature {
  private readonly hmacs: readonly (readonly [id: string, hmac: Hmac])[];
  private result: ReadonlyMap<string, Buffer> | null = null;

  /**
   * @param secrets at most two; missing secrets are replaced by placeholders, so that the signing time reveals nothing
   * (D-7)
   * @param head what the signature covers before the body
   */
  constructor(secrets: SigningSecrets, head = '') {
    const supplements = Array.from({ length: SECRETS }, (_, n) => [`none ${n}`, NO_SECRET] as const);
    const all = [...secrets, ...supplements].slice(0, SECRETS);
    this.hmacs = all.map(([id, secret]) => [id, createHmac('sha256', secret).update(head)]);
  }

  update(chunk: Buffer): void {
    if (!this.result) for (const [, hmac] of this.hmacs) hmac.update(chunk);
  }

  /** Returns the HMAC-SHA256 of all chunks, by the secret's id. Call it after the last chunk. */
  digests(): ReadonlyMap<string, Buffer> {
    return (this.result ??= new Map(this.hmacs.map(([id, hmac]) => [id, hmac.digest()])));
  }
}
