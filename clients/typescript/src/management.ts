import { randomKey } from './hmac.js';
import type { Routes } from './schema.js';
import { send, type SendOptions } from './send.js';

/** Options of {@link createManagement}. */
export interface ManagementOptions extends SendOptions {
  /** The gateway's address: `https://gateway.example`. */
  readonly url: string;
  /** The operator's or an owner's API key. */
  readonly key: string;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Paths below /manage/v1 that have a method. */
type PathOf<M extends Method> = {
  [R in keyof Routes]: R extends `${M} /manage/v1${infer Path}` ? Path : never;
}[keyof Routes];

type RouteOf<M extends Method, P extends PathOf<M>> = Routes[`${M} /manage/v1${P}` & keyof Routes];

/** Arguments of a call: ids in the path, query and body, as its route has them. */
type Given<R extends { readonly takes: object }> = R['takes'] & {
  /** Of a POST; default: a random key. */
  readonly idempotencyKey?: string;
};

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...given: object extends RouteOf<M, P>['takes'] ? [given?: Given<RouteOf<M, P>>] : [given: Given<RouteOf<M, P>>]
) => Promise<RouteOf<M, P>['answers']>;

/**
 * A client of the management API. Paths are those of its documentation, without `/manage/v1`:
 * `get('/channels/{id}', { path: { id } })`. Calls reject with a GatewayError. Retries of a POST carry the same
 * Idempotency-Key, so that they take effect once.
 */
export interface Management {
  readonly get: Call<'GET'>;
  readonly post: Call<'POST'>;
  readonly patch: Call<'PATCH'>;
  readonly delete: Call<'DELETE'>;
}

type Primitive = string | number | boolean;

interface AnyGiven {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, Primitive | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/** Creates a client of the management API. */
export const createManagement = (options: ManagementOptions): Management => {
  const base = `${options.url.replace(/\/+$/, '')}/manage/v1`;
  const call =
    (method: Method) =>
    async (path: string, { path: ids = {}, query = {}, body, idempotencyKey }: AnyGiven = {}): Promise<unknown> => {
      const key = method === 'POST' ? (idempotencyKey ?? randomKey()) : undefined;
      const headers = async (): Promise<Record<string, string>> => ({
        authorization: `Bearer ${options.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      });
      const url = base + fillIn(path, ids) + formatQuery(query);
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const { isJson, text } = await send({ method, url, headers, ...sent }, options);
      if (text === '') return undefined;
      return isJson ? (JSON.parse(text) as unknown) : text;
    };
  return {
    get: call('GET') as Call<'GET'>,
    post: call('POST') as Call<'POST'>,
    patch: call('PATCH') as Call<'PATCH'>,
    delete: call('DELETE') as Call<'DELETE'>,
  };
};

const fillIn = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new TypeError(`${path} needs path: { ${name} }`);
    return encodeURIComponent(id);
  });

const formatQuery = (query: NonNullable<AnyGiven['query']>): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
};
