import { randomKey, signHex } from './hmac.js';
import type { Schemas } from './schema.js';
import { send, type SendOptions } from './send.js';

/** A post, as `publish` and `sandbox` take it. */
export type PublishPayload = Schemas['PublishPayloadRequest'];

/** Options of {@link createClient}. */
export interface ClientOptions extends SendOptions {
  /** The endpoint's URL: `https://…/v1/webhooks/{slug}`. */
  readonly url: string;
  /** The endpoint's token. */
  readonly token: string;
  /** Signs every request; needed if the endpoint requires signatures. */
  readonly signingSecret?: string;
  /** Name in the gateway's headers, if the gateway has one of its own. Default: `service`. */
  readonly brand?: string;
}

/** A client of one endpoint. Its calls reject with a GatewayError. */
export interface Client {
  /** Publishes a post. Retries carry the same key, so that the post appears once; without a key a random one is made. */
  publish(payload: PublishPayload, options?: { readonly idempotencyKey?: string }): Promise<Schemas['PublishResult']>;
  /** Checks a post, and shows what would be sent to each network. Nothing is published. */
  sandbox(payload: PublishPayload): Promise<Schemas['SandboxResult']>;
  /** Returns projects, targets and capabilities. */
  info(): Promise<Schemas['Discovery']>;
  /** Pauses projects or channels. A longer pause that is active stays. */
  pause(body: Schemas['TempPauseRequest']): Promise<Schemas['PauseResult']>;
  /** Ends pauses; without a body, all of them. */
  resume(body?: Schemas['TempResumeRequest']): Promise<Schemas['PauseResult']>;
  /** Returns what became of a post. */
  post(id: string): Promise<Schemas['PostStatus']>;
}

/** Creates a client of one endpoint. */
export const createClient = (options: ClientOptions): Client => {
  const { token, signingSecret, brand = 'service' } = options;
  const endpoint = options.url.replace(/\/+$/, '');
  const sandbox = endpoint.replace(/\/v1\/(?:webhooks\/[^/]*|sandbox\/test)$/, '/v1/sandbox/test');

  const call = async <T>(method: 'GET' | 'POST', url: string, payload?: object, key?: string): Promise<T> => {
    const body = payload && JSON.stringify(payload);
    const headers = async (): Promise<Record<string, string>> => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signed = body ?? `${method}\n${new URL(url).pathname}\n${timestamp}`;
      const signature = signingSecret === undefined ? null : await signHex(signingSecret, signed);
      return {
        authorization: `Bearer ${token}`,
        [`x-${brand}-timestamp`]: timestamp,
        ...(signature !== null && { [`x-${brand}-client-signature`]: `sha256=${signature}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      };
    };
    const { text } = await send({ method, url, headers, ...(body !== undefined && { body }) }, options);
    return JSON.parse(text) as T;
  };

  return {
    publish: (payload, { idempotencyKey = randomKey() } = {}) => call('POST', endpoint, payload, idempotencyKey),
    sandbox: (payload) => call('POST', sandbox, payload),
    info: () => call('GET', `${endpoint}/info`),
    pause: (body) => call('POST', `${endpoint}/temp-pause`, body),
    resume: (body = {}) => call('POST', `${endpoint}/temp-resume`, body),
    post: (id) => call('GET', `${endpoint}/posts/${encodeURIComponent(id)}`),
  };
};
