import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { Agent, type Dispatcher } from 'undici';
import type { NetworkConnection } from './channel-check.js';
import { EXCHANGE_MESSAGES } from './messages.js';
import { LEASE_LOST, type MediaFile, type PublishError } from './publisher.js';

interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | Readable;
}

export interface ExchangeLimits {
  /** Time from the call to the last byte of the response, in ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Asked when the first byte is due, and before each further part of a streamed body. Default: always true. */
  readonly holdsLease?: (() => boolean) | undefined;
}

/** Reason for an exchange without a response. */
interface Interruption {
  /** A system or library code, such as `ECONNREFUSED`. */
  readonly code: string;
  readonly detail: string;
  /** The host that was called, if a connection to it failed. */
  readonly host?: string;
}

/**
 * Result of a request. The difference between `never_sent` and `lost` decides whether a post may be sent again without
 * a look-up (D-25): before the first byte is written, the network cannot have accepted anything.
 */
export type Exchange =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  /** No byte was sent, for example because the connection was refused or the lease had passed. */
  | ({ readonly kind: 'never_sent' } & Interruption)
  /** At least part of the request was sent, but no complete response arrived. `status`: null if no response began. */
  | ({ readonly kind: 'lost'; readonly status: number | null } & Interruption);

/** An exchange without a complete response. */
export type Interrupted = Exclude<Exchange, { kind: 'answered' }>;

/** Larger than any response from a network's API. */
const MAX_RESPONSE_BYTES = 4 * 1_048_576;

/**
 * Creates the connections to one network: at most 512, kept alive, one request at a time on each. An idle connection is
 * closed after 4 s, before the server closes it: a request on a closing connection would be in doubt.
 * @param extraCertificates PEM certificates of authorities to trust in addition to Node's own
 */
export const createConnections = (extraCertificates: readonly string[] = []): Agent =>
  new Agent({
    connections: 512,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    // `ca` replaces Node's own roots and NODE_EXTRA_CA_CERTS, so it is left out without extra certificates.
    ...(extraCertificates.length > 0 && { connect: { ca: [...rootCertificates, ...extraCertificates] } }),
  });

/**
 * Sends one request and reports how far it got. Never throws, never retries, never follows a redirect. The response
 * body is complete, except that a refusal (3xx, 4xx) may be cut short, because its status alone is enough.
 */
export const exchange = (
  connections: Dispatcher,
  request: OutgoingRequest,
  { timeoutMs, signal, holdsLease = () => true }: ExchangeLimits,
): Promise<Exchange> =>
  new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status: number | null = null;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let bytes = 0;
    let settled = false;

    const settle = (outcome: Exchange): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    // The controller is created just before the first byte is written.
    const interrupted = (why: Interruption): void => {
      if (!controller) settle({ kind: 'never_sent', ...why });
      else if (status === null || !isRefusalStatus(status)) settle({ kind: 'lost', status, ...why });
      else settle({ kind: 'answered', status, headers, body: Buffer.concat(chunks) });
    };
    const stop = (why: Interruption): void => {
      interrupted(why);
      controller?.abort(new Error(why.code));
    };
    const onAbort = (): void => stop({ code: 'aborted', detail: EXCHANGE_MESSAGES.stopped });
    const timeOut = (): void => {
      if (!settled) stop({ code: 'timed_out', detail: EXCHANGE_MESSAGES.noAnswer({ ms: timeoutMs }) });
    };
    const leaseLost = { code: LEASE_LOST, detail: EXCHANGE_MESSAGES.leaseLost };
    // When a suspended process resumes, timers fire before sockets are read. With setImmediate, a response that has
    // already arrived still counts.
    const timer = setTimeout(() => setImmediate(timeOut), timeoutMs);

    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { origin, pathname, search } = new URL(request.url);
      connections.dispatch(
        {
          origin,
          path: pathname + search,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
        },
        {
          onRequestStart(started) {
            if (settled) return started.abort(new Error('stopped while waiting for a connection'));
            // undici writes a text right after this, in the same turn, and a stream's first byte with its first part.
            if (!holdsLease()) {
              interrupted(leaseLost);
              return started.abort(new Error(LEASE_LOST));
            }
            controller = started;
            // This listener is called before undici's. A network ignores a request that breaks off.
            if (request.body instanceof Readable) request.body.on('data', () => holdsLease() || stop(leaseLost));
          },
          onResponseStart(_, code, received) {
            status = code;
            headers = received;
          },
          onResponseData(_, chunk) {
            bytes += chunk.length;
            if (bytes > MAX_RESPONSE_BYTES) stop({ code: 'answer_too_long', detail: EXCHANGE_MESSAGES.endlessAnswer });
            else chunks.push(chunk);
          },
          onResponseEnd() {
            settle({ kind: 'answered', status: status ?? 0, headers, body: Buffer.concat(chunks) });
          },
          onResponseError(_, error) {
            interrupted({ ...toInterruption(error), host: new URL(request.url).host });
          },
        },
      );
    } catch (error) {
      interrupted(toInterruption(error));
    }
  });

/** True if the status alone shows that the server took no action. */
const isRefusalStatus = (status: number): boolean => status >= 300 && status < 500;

/** Converts a library's error to a code and a message, which may contain hosts, but never a path or a header. */
const toInterruption = (error: unknown): Interruption => {
  if (!isNativeError(error)) return { code: 'unknown', detail: EXCHANGE_MESSAGES.unknown };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { code, detail: error.message || code };
};

/** Parses JSON; returns undefined if the body is not valid JSON. */
export const parseJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
};

/** Parses a JSON object; returns null for anything else. */
export const parseObject = (body: Buffer): Readonly<Record<string, unknown>> | null => {
  const value = parseJson(body);
  return isObject(value) ? value : null;
};

/** True for JSON objects, but not for arrays or null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the delay from a `Retry-After` header (RFC 9110), in seconds, as text; undefined without the header. Converts
 * a date to the remaining seconds, and returns any other value unchanged, even if it is malformed.
 */
export const readRetryAfter = ({ 'retry-after': value, date = '' }: IncomingHttpHeaders): string | undefined => {
  if (value === undefined || value.trim() === '') return undefined;
  const until = /[a-z]/i.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(until)) return value;
  // Compares with the server's own clock if the response has a date.
  const from = Date.parse(date);
  return String(Math.max(0, (until - (Number.isNaN(from) ? Date.now() : from)) / 1_000));
};

/** Matches tags, scripts, style sheets and white space in a page; everything else is text. */
const MARKUP = /<(?:script|style)\b[\s\S]*?<\/(?:script|style)\s*>|<[^>]*>|[\s\p{Cc}]+/giu;
/** Number of bytes of a page to search for text. */
const SCANNED_BYTES = 4_096;

/** Returns the text in a response that does not come from the API, such as a proxy's page; empty if there is none. */
export const extractWords = (body: Buffer): string =>
  body.toString('utf8', 0, SCANNED_BYTES).replace(MARKUP, ' ').replace(/ +/g, ' ').trim();

/** Maximum length of a network's message, in UTF-16 units. */
const MAX_LENGTH = 500;

/**
 * Returns the network's own message, if any, for {@link PublishError.platform_says}: shortened and with credentials
 * masked.
 */
export const platformSays = (
  words: string | undefined,
  credentials: Readonly<Record<string, string>>,
): Pick<PublishError, 'platform_says'> => {
  if (!words) return {};
  const secrets = Object.values(credentials).filter((secret) => secret !== '');
  const masked = secrets.reduce(
    (text, secret) => text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***'),
    words,
  );
  return { platform_says: masked.slice(0, MAX_LENGTH) };
};

/** A file to upload, and the name of its form field. */
export interface FilePart {
  readonly field: string;
  readonly file: Pick<MediaFile, 'path' | 'sizeBytes' | 'mime' | 'filename'>;
}

/** A streamed form body with its headers. */
export interface Multipart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/**
 * Creates a `multipart/form-data` body (RFC 7578) from fields and files on disk. Streams the files and computes the
 * content length in advance, because networks require it.
 */
export const createMultipart = (
  files: readonly FilePart[],
  fields: Readonly<Record<string, string>> = {},
): Multipart => {
  const boundary = `----${randomUUID()}`;
  const start = Object.entries(fields).map(([name, value]) => `${partHeader(boundary, name)}\r\n\r\n${value}\r\n`);
  const head = Buffer.from(start.join(''));
  const parts = files.map(({ field, file }) => {
    const filename = `; filename="${escapeName(file.filename)}"\r\nContent-Type: ${file.mime}\r\n\r\n`;
    return { file, head: Buffer.from(partHeader(boundary, field) + filename) };
  });
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, part) => sum + part.head.length + part.file.sizeBytes + 2,
    head.length + end.length,
  );
  async function* read(): AsyncGenerator<Buffer> {
    yield head;
    for (const part of parts) {
      yield part.head;
      yield* createReadStream(part.file.path) as AsyncIterable<Buffer>;
      yield Buffer.from('\r\n');
    }
    yield end;
  }
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(length) },
    body: Readable.from(read(), { objectMode: false }),
  };
};

/** Uploads a file to a URL; never throws. */
export const uploadFile = async (
  { connections }: Pick<NetworkConnection, 'connections'>,
  url: string,
  part: FilePart,
  limits: ExchangeLimits,
): Promise<Exchange> => {
  const { headers, body } = createMultipart([part]);
  const answer = await exchange(connections, { method: 'POST', url, headers, body }, limits);
  body.destroy();
  return answer;
};

const partHeader = (boundary: string, name: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;

/** Escapes a name in a part header the way browsers do. */
const escapeName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
