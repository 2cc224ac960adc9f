import { GatewayError } from './gateway-error.js';
import { randomKey, signHex } from './hmac.js';
import { type JsonText, toJson } from './json-text.js';
import type { Routes, Schemas } from './schema.js';
import { type Answer, formatQuery, send, type SendOptions } from './send.js';
import { describeFile, digestOf, UPLOAD_ANSWER_MS, type UploadOptions, type UploadSource } from './upload.js';

/** A post to pass to `publish` or `sandbox`. */
export type PublishPayload = Schemas['PublishPayloadRequest'];

/** What a post shows: text, formatting, media, buttons, and overrides for networks and targets. */
export type PostContent = Schemas['ContentRequest'];

/** Query parameters for `posts`. */
export type PostsQuery = NonNullable<Routes['GET /v1/webhooks/{slug}/posts']['takes']['query']>;

/** Options for {@link createClient}. */
export interface ClientOptions extends SendOptions {
  /** The endpoint's URL: `https://…/v1/webhooks/{slug}`. */
  readonly url: string;
  /** The endpoint's token. */
  readonly token: string;
  /** Signs every request; needed if the endpoint requires signatures. */
  readonly signingSecret?: string;
  /** Brand in the gateway's header names. Default: `service`. */
  readonly brand?: string;
}

/** A client for one endpoint. Its calls reject with a GatewayError. */
export interface Client {
  /**
   * Publishes a post. Retries use the same idempotency key, so the post is published only once. Default key: random.
   */
  publish(
    payload: PublishPayload | JsonText,
    options?: { readonly idempotencyKey?: string },
  ): Promise<Schemas['PublishResult']>;
  /**
   * Uploads a file, for `{ id }` in the media of posts. Sending the same file again is safe: it has the same id.
   */
  uploadMedia(file: UploadSource, options?: UploadOptions): Promise<Schemas['MediaUpload']>;
  /** Checks a post and returns what would be sent to each network, without publishing anything. */
  sandbox(payload: PublishPayload): Promise<Schemas['SandboxResult']>;
  /** Returns projects, targets and capabilities. */
  info(): Promise<Schemas['Discovery']>;
  /** Pauses projects or channels. A longer pause that is already active is not shortened. */
  pause(body: Schemas['TempPauseRequest']): Promise<Schemas['PauseResult']>;
  /** Ends the pauses in the given scope, or all pauses if there is no body. */
  resume(body?: Schemas['TempResumeRequest']): Promise<Schemas['PauseResult']>;
  /** Returns the status of a post and its publications. */
  post(id: string): Promise<Schemas['PostStatus']>;
  /**
   * Returns one page of the endpoint's posts, optionally filtered by publication state. Planned posts are sorted by
   * `publish_at`, all others newest first. `next` is the cursor of the next page.
   */
  posts(query?: PostsQuery): Promise<Schemas['PostStatusList']>;
  /**
   * Reschedules a planned post. The time is in RFC 3339 format with an offset; null publishes the post now, or as soon
   * as it is approved.
   */
  reschedule(id: string, publishAt: string | null): Promise<Schemas['ChangedPost']>;
  /**
   * Replaces the payload of a planned post. With `revision`, the call fails unless the post is still at that revision.
   */
  replace(
    id: string,
    payload: PublishPayload,
    options?: { readonly revision?: number },
  ): Promise<Schemas['ChangedPost']>;
  /**
   * Gives a post new content, which replaces the whole of the old one. What is published is edited, never posted again;
   * that goes on after the answer: `post` shows what became of it. With `revision`, the call fails unless the post is
   * still at that revision. With `dryRun`, nothing happens, and the answer has the calls that would be made.
   */
  edit(
    id: string,
    content: PostContent,
    options?: { readonly revision?: number; readonly dryRun?: boolean },
  ): Promise<Schemas['EditedPostStatus']>;
  /** Cancels a post's planned or queued publications. */
  cancel(id: string): Promise<Schemas['Cancelled']>;
  /**
   * Takes a post back: deletes what is published, and cancels the rest; on all targets, or on those with the given ids.
   * Deleting goes on after the answer: `post` shows what became of it. Repeating is safe.
   */
  withdraw(
    id: string,
    options?: { readonly targets?: readonly string[]; readonly reason?: string },
  ): Promise<Schemas['WithdrawnPostStatus']>;
}

/** Creates a client for one endpoint. */
export const createClient = (options: ClientOptions): Client => {
  const { token, signingSecret, brand = 'service' } = options;
  const endpoint = options.url.replace(/\/+$/, '');
  const besides = (path: string): string => endpoint.replace(/\/v1\/(?:webhooks\/[^/]*|sandbox\/test)$/, path);
  const sandbox = besides('/v1/sandbox/test');

  const call = async <T>(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<T> => {
    const body = payload && toJson(payload);
    const headers = async (): Promise<Record<string, string>> => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const head = `${method}\n${new URL(url).pathname}\n${timestamp}`;
      const namesPost = url.startsWith(`${endpoint}/posts/`);
      const signed = body === undefined ? head : namesPost ? `${head}\n${body}` : body;
      const signature = signingSecret === undefined ? null : await signHex(signingSecret, signed);
      return {
        authorization: `Bearer ${token}`,
        [`x-${brand}-timestamp`]: timestamp,
        ...(signature !== null && { [`x-${brand}-client-signature`]: `sha256=${signature}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      };
    };
    return read(
      await send({ method, url, headers, isKept: true, ...(body !== undefined && { body }) }, options),
      method,
      url,
    );
  };

  const read = <T>({ status, isJson, text }: Answer, method: string, url: string): T => {
    if (isJson) return JSON.parse(text) as T;
    const { origin, pathname } = new URL(url);
    const errors = [`${origin} did not answer with JSON: use the gateway's address`];
    throw new GatewayError({ status, code: 'no_json', errors, route: `${method} ${pathname}` });
  };

  const upload = async (file: UploadSource, given: UploadOptions): Promise<Schemas['MediaUpload']> => {
    const url = besides('/v1/media');
    const digest = signingSecret === undefined ? null : await digestOf(file);
    const headers = async (): Promise<Record<string, string>> => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signed = `POST\n${new URL(url).pathname}\n${timestamp}\n${digest}`;
      const signature = signingSecret === undefined ? null : await signHex(signingSecret, signed);
      return {
        authorization: `Bearer ${token}`,
        [`x-${brand}-timestamp`]: timestamp,
        ...(signature !== null && { [`x-${brand}-client-signature`]: `sha256=${signature}` }),
        ...(digest !== null && { 'content-digest': digest }),
        ...describeFile(file, given),
      };
    };
    const answer = await send(
      { method: 'POST', url, headers, body: file },
      { answerTimeoutMs: UPLOAD_ANSWER_MS, ...options },
    );
    return read(answer, 'POST', url);
  };

  const postUrl = (id: string): string => `${endpoint}/posts/${encodeURIComponent(id)}`;

  return {
    publish: (payload, { idempotencyKey = randomKey() } = {}) =>
      call('POST', endpoint, payload, { 'idempotency-key': idempotencyKey }),
    uploadMedia: (file, given = {}) => upload(file, given),
    sandbox: (payload) => call('POST', sandbox, payload),
    info: () => call('GET', `${endpoint}/info`),
    pause: (body) => call('POST', `${endpoint}/temp-pause`, body),
    resume: (body = {}) => call('POST', `${endpoint}/temp-resume`, body),
    post: (id) => call('GET', postUrl(id)),
    posts: (query = {}) => call('GET', `${endpoint}/posts${formatQuery(query)}`),
    reschedule: (id, publishAt) => call('PATCH', postUrl(id), { publish_at: publishAt }),
    replace: (id, payload, { revision } = {}) => call('PUT', postUrl(id), payload, ifMatch(revision)),
    edit: (id, content, { revision, dryRun = false } = {}) =>
      call('PUT', `${postUrl(id)}/content${dryRun ? '?dry_run=true' : ''}`, content, ifMatch(revision)),
    cancel: (id) => call('DELETE', postUrl(id)),
    withdraw: (id, { targets, reason } = {}) => call('POST', `${postUrl(id)}/withdraw`, { targets, reason }),
  };
};

const ifMatch = (revision: number | undefined): Readonly<Record<string, string>> =>
  revision === undefined ? {} : { 'if-match': `"${revision}"` };
