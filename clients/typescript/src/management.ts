import { randomKey } from './hmac.js';
import { type JsonText, toJson } from './json-text.js';
import type { Routes, Schemas } from './schema.js';
import { formatQuery, open, type Outgoing, send, type SendOptions } from './send.js';
import { describeFile, UPLOAD_ANSWER_MS, type UploadOptions, type UploadSource } from './upload.js';

/** Options for {@link createManagement}. */
export interface ManagementOptions extends SendOptions {
  /** The gateway's address: `https://gateway.example`. */
  readonly url: string;
  /** The operator's or an owner's API key. If it is null, the gateway refuses every call. */
  readonly key: string | null;
}

/** Methods of the management API. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Paths below /manage/v1 that support a method. */
export type PathOf<M extends Method> = {
  [R in keyof Routes]: R extends `${M} /manage/v1${infer Path}` ? Path : never;
}[keyof Routes];

/** A route's parameters and response type. */
export type RouteOf<M extends Method, P extends PathOf<M>> = Routes[`${M} /manage/v1${P}` & keyof Routes];

/** Call arguments: path ids, query and body, as defined by the route. */
type Given<Takes extends object> = WithJsonText<Takes> & {
  /** For POST only. Default: a random key. */
  readonly idempotencyKey?: string;
  /** Changes or approves a planned post only if it is at this revision. Default: any; an approval must name one. */
  readonly ifRevision?: number;
};

type WithJsonText<Takes> = {
  readonly [Part in keyof Takes]: Part extends 'body' ? Takes[Part] | JsonText : Takes[Part];
};

/** Call arguments; optional if the route needs none. */
export type Arguments<M extends Method, P extends PathOf<M>> = object extends RouteOf<M, P>['takes']
  ? [given?: Given<RouteOf<M, P>['takes']>]
  : [given: Given<RouteOf<M, P>['takes']>];

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...given: Arguments<M, P>
) => Promise<RouteOf<M, P>['answers']>;

/**
 * A client for the management API. Paths are as documented, without `/manage/v1`:
 * `get('/channels/{id}', { path: { id } })`. Calls reject with a GatewayError. POST retries carry the same
 * Idempotency-Key, so a call takes effect only once.
 */
export interface Management {
  readonly get: Call<'GET'>;
  readonly post: Call<'POST'>;
  readonly patch: Call<'PATCH'>;
  readonly put: Call<'PUT'>;
  readonly delete: Call<'DELETE'>;
  /**
   * Sends a GET and resolves as soon as the response starts, so that a long response, such as an export, can be
   * streamed.
   */
  readonly open: <P extends PathOf<'GET'>>(path: P, ...given: Arguments<'GET', P>) => Promise<Response>;
  /** Uploads a file for posts. Sending it again is safe. @param options the operator must name the owner */
  readonly uploadMedia: (
    file: UploadSource,
    options?: UploadOptions & { readonly ownerId?: string | undefined },
  ) => Promise<Schemas['MediaUpload']>;
}

type Primitive = string | number | boolean;

interface AnyGiven {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, Primitive | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly ifRevision?: number;
}

/** Creates a client for the management API. */
export const createManagement = (options: ManagementOptions): Management => {
  const base = `${options.url.replace(/\/+$/, '')}/manage/v1`;

  const requestOf = (method: Method, path: string, given: AnyGiven = {}): Outgoing => {
    const { path: ids = {}, query = {}, body, idempotencyKey, ifRevision } = given;
    const headers: Record<string, string> = {
      ...(options.key !== null && { authorization: `Bearer ${options.key}` }),
      // A string body is newline-delimited JSON, as used by imports.
      ...(body !== undefined && { 'content-type': typeof body === 'string' ? NDJSON : 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': idempotencyKey ?? randomKey() }),
      ...(ifRevision !== undefined && { 'if-match': `"${ifRevision}"` }),
    };
    return {
      method,
      url: base + fillIn(path, ids) + formatQuery(query),
      headers: () => Promise.resolve(headers),
      ...(body !== undefined && { body: typeof body === 'string' ? body : toJson(body) }),
    };
  };

  const call =
    (method: Method) =>
    async (path: string, given?: AnyGiven): Promise<unknown> => {
      const { isJson, text } = await send(requestOf(method, path, given), options);
      if (text === '') return undefined;
      return isJson ? (JSON.parse(text) as unknown) : text;
    };

  return {
    get: call('GET') as Call<'GET'>,
    post: call('POST') as Call<'POST'>,
    patch: call('PATCH') as Call<'PATCH'>,
    put: call('PUT') as Call<'PUT'>,
    delete: call('DELETE') as Call<'DELETE'>,
    open: async (path: string, given?: AnyGiven) => open(requestOf('GET', path, given), options),
    uploadMedia: async (file, { ownerId, ...named } = {}) => {
      const headers: Record<string, string> = {
        ...(options.key !== null && { authorization: `Bearer ${options.key}` }),
        ...describeFile(file, named),
      };
      const url = `${base}/media${formatQuery({ owner_id: ownerId })}`;
      const { text } = await send(
        { method: 'POST', url, headers: () => Promise.resolve(headers), body: file },
        { ...options, answerTimeoutMs: UPLOAD_ANSWER_MS },
      );
      return JSON.parse(text) as Schemas['MediaUpload'];
    },
  };
};

const NDJSON = 'application/x-ndjson';

const fillIn = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new TypeError(`${path} needs path: { ${name} }`);
    return encodeURIComponent(id);
  });
