import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What goes wrong at the stand-in. */
export interface S3Fault {
  /** Every call is answered with this status. */
  readonly status?: number;
  /** Every call waits this long, in ms, before it is answered. */
  readonly delayMs?: number;
  /** A download breaks off after so many bytes. */
  readonly cutAfter?: number;
}

/** An S3 server for tests: one bucket in memory, as strict as the real one with what the gateway uses. */
export interface S3StandIn {
  readonly url: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly objects: Map<string, { readonly bytes: Buffer; readonly at: number }>;
  /** Multipart uploads that are neither completed nor aborted. */
  readonly uploads: Map<string, { readonly key: string; readonly at: number; readonly parts: Map<number, Buffer> }>;
  /** What happens to calls from now on. */
  fault: S3Fault;
  /** Calls that were refused for what they were, not for a fault: there must be none. */
  readonly refused: string[];
  /** Names of the calls, in order. */
  readonly calls: string[];
  stop(): Promise<void>;
}

const REGION = 'us-east-1';
/** All parts but the last have at least this many bytes. */
const MIN_PART = 5 * 1024 ** 2;
const MAX_KEYS = 1_000;

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Call {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** Null for calls about the bucket. */
  readonly key: string | null;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();
const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** Encodes as AWS does: everything but unreserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

const xml = (name: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`;

/** Checks a signature of version 4. @throws Refusal */
const checkSignature = ({ request, url, body }: Call, { accessKeyId, secretAccessKey }: S3StandIn): void => {
  const { headers } = request;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = '', region = '', signed = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  if (id !== accessKeyId) throw new Refusal(403, 'InvalidAccessKeyId', 'unknown access key');
  if (region !== REGION) throw new Refusal(400, 'AuthorizationHeaderMalformed', 'wrong region');
  const date = String(headers['x-amz-date']);
  const sentAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - sentAt) < 15 * 60_000)) throw new Refusal(403, 'RequestTimeTooSkewed', 'wrong date');
  const names = signed.split(';');
  for (const needed of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!names.includes(needed)) throw new Refusal(403, 'AccessDenied', `${needed} is not signed`);
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body))
    throw new Refusal(400, 'XAmzContentSHA256Mismatch', 'the body is not what was signed');
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const canonical = [
    request.method,
    url.pathname,
    query.join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    signed,
    payload,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(
    (k, part) => hmac(k, part),
    hmac(hmac(`AWS4${secretAccessKey}`, day), region),
  );
  if (hmac(key, text).toString('hex') !== signature) throw new Refusal(403, 'SignatureDoesNotMatch', 'wrong signature');
};

const getObject = ({ request, key }: Call, server: S3StandIn): Reply => {
  const object = server.objects.get(key!);
  if (!object) throw new Refusal(404, request.method === 'HEAD' ? 'NotFound' : 'NoSuchKey', 'no such key');
  const { bytes, at } = object;
  const headers = { etag: etagOf(bytes), 'last-modified': new Date(at).toUTCString(), 'accept-ranges': 'bytes' };
  const { range } = request.headers;
  if (range === undefined) return { headers, body: bytes };
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (from === '' || Number(from) > Number(to)) throw new Refusal(400, 'InvalidArgument', 'bad range');
  if (Number(from) >= bytes.length) throw new Refusal(416, 'InvalidRange', 'the object is shorter');
  const end = Math.min(Number(to), bytes.length - 1);
  const part = bytes.subarray(Number(from), end + 1);
  return { status: 206, headers: { ...headers, 'content-range': `bytes ${from}-${end}/${bytes.length}` }, body: part };
};

const requireUpload = ({ query, key }: Call, server: S3StandIn) => {
  const upload = server.uploads.get(query.get('uploadId') ?? '');
  if (!upload || upload.key !== key) throw new Refusal(404, 'NoSuchUpload', 'no such upload');
  return upload;
};

const completeUpload = (call: Call, server: S3StandIn): Reply => {
  const upload = requireUpload(call, server);
  const named = [...call.body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"'),
  }));
  const parts = named.map(({ number, etag }, i) => {
    const bytes = upload.parts.get(number);
    if (!bytes || (i > 0 && named[i - 1]!.number >= number)) throw new Refusal(400, 'InvalidPart', 'wrong parts');
    if (etag?.replaceAll('"', '') !== etagOf(bytes).replaceAll('"', ''))
      throw new Refusal(400, 'InvalidPart', 'wrong etag');
    if (i < named.length - 1 && bytes.length < MIN_PART) throw new Refusal(400, 'EntityTooSmall', 'part too small');
    return bytes;
  });
  if (parts.length === 0) throw new Refusal(400, 'MalformedXML', 'no parts');
  server.objects.set(call.key!, { bytes: Buffer.concat(parts), at: Date.now() });
  server.uploads.delete(call.query.get('uploadId')!);
  const content = `<Bucket>${server.bucket}</Bucket><Key>${escapeXml(call.key!)}</Key><ETag>"x-${parts.length}"</ETag>`;
  return { body: xml('CompleteMultipartUploadResult', content) };
};

const listObjects = ({ query }: Call, { objects }: S3StandIn): Reply => {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, Math.min(MAX_KEYS, Number(query.get('max-keys') ?? MAX_KEYS)));
  const isCut = page.length < keys.length;
  const items = page.map((key) => {
    const { bytes, at } = objects.get(key)!;
    return `<Contents><Key>${escapeXml(key)}</Key><LastModified>${new Date(at).toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`;
  });
  const next = isCut ? `<NextContinuationToken>${escapeXml(page.at(-1)!)}</NextContinuationToken>` : '';
  return { body: xml('ListBucketResult', `<IsTruncated>${isCut}</IsTruncated>${next}${items.join('')}`) };
};

const listUploads = ({ query }: Call, { uploads }: S3StandIn): Reply => {
  const prefix = query.get('prefix') ?? '';
  const items = [...uploads].flatMap(([id, { key, at }]) =>
    key.startsWith(prefix)
      ? `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`
      : [],
  );
  return { body: xml('ListMultipartUploadsResult', `<IsTruncated>false</IsTruncated>${items.join('')}`) };
};

/** Carries out a call. The names are those of the API. */
const OPERATIONS: readonly (readonly [
  name: string,
  matches: (call: Call) => boolean,
  run: (call: Call, server: S3StandIn) => Reply,
])[] = [
  [
    'CreateMultipartUpload',
    ({ request, key, query }) => request.method === 'POST' && key !== null && query.has('uploads'),
    ({ key }, server) => {
      const id = randomBytes(12).toString('hex');
      server.uploads.set(id, { key: key!, at: Date.now(), parts: new Map() });
      const content = `<Bucket>${server.bucket}</Bucket><Key>${escapeXml(key!)}</Key><UploadId>${id}</UploadId>`;
      return { body: xml('InitiateMultipartUploadResult', content) };
    },
  ],
  [
    'UploadPart',
    ({ request, key, query }) => request.method === 'PUT' && key !== null && query.has('partNumber'),
    (call, server) => {
      const number = Number(call.query.get('partNumber'));
      if (!(number >= 1 && number <= 10_000)) throw new Refusal(400, 'InvalidArgument', 'bad part number');
      requireUpload(call, server).parts.set(number, call.body);
      return { headers: { etag: etagOf(call.body) } };
    },
  ],
  [
    'CompleteMultipartUpload',
    ({ request, query }) => request.method === 'POST' && query.has('uploadId'),
    completeUpload,
  ],
  [
    'AbortMultipartUpload',
    ({ request, query }) => request.method === 'DELETE' && query.has('uploadId'),
    (call, server) => {
      requireUpload(call, server);
      server.uploads.delete(call.query.get('uploadId')!);
      return { status: 204 };
    },
  ],
  [
    'PutObject',
    ({ request, key, query }) => request.method === 'PUT' && key !== null && !query.has('uploadId'),
    ({ key, body }, server) => {
      server.objects.set(key!, { bytes: body, at: Date.now() });
      return { headers: { etag: etagOf(body) } };
    },
  ],
  ['HeadObject', ({ request, key }) => request.method === 'HEAD' && key !== null, getObject],
  ['GetObject', ({ request, key }) => request.method === 'GET' && key !== null, getObject],
  [
    'DeleteObject',
    ({ request, key }) => request.method === 'DELETE' && key !== null,
    ({ key }, server) => {
      server.objects.delete(key!);
      return { status: 204 };
    },
  ],
  ['ListMultipartUploads', ({ request, query }) => request.method === 'GET' && query.has('uploads'), listUploads],
  ['ListObjectsV2', ({ request, query }) => request.method === 'GET' && query.get('list-type') === '2', listObjects],
];

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const answer = (
  response: ServerResponse,
  { status = 200, headers = {}, body = '' }: Reply,
  cutAfter?: number,
): void => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  if (response.req.method === 'HEAD') return void response.end();
  if (cutAfter === undefined || Buffer.byteLength(body) <= cutAfter) return void response.end(body);
  response.write(Buffer.from(body).subarray(0, cutAfter), () => response.destroy());
};

/** Starts a stand-in with an empty bucket, on a free port. */
export const startS3StandIn = async (bucket = 'crosspost-test'): Promise<S3StandIn> => {
  const http = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const server: S3StandIn = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    bucket,
    accessKeyId: 'AKIASTANDIN',
    secretAccessKey: randomBytes(20).toString('hex'),
    objects: new Map(),
    uploads: new Map(),
    fault: {},
    refused: [],
    calls: [],
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const { status, delayMs = 0, cutAfter } = server.fault;
    await sleep(delayMs);
    const url = new URL(request.url!, server.url);
    const [, name, ...path] = url.pathname.split('/');
    const key = path.length === 0 || path[0] === '' ? null : decodeURIComponent(path.join('/'));
    const call: Call = { request, url, key, query: url.searchParams, body };
    try {
      if (status !== undefined) throw new Refusal(status, status === 503 ? 'SlowDown' : 'InternalError', 'a fault');
      checkSignature(call, server);
      if (name !== bucket) throw new Refusal(404, 'NoSuchBucket', 'no such bucket');
      const operation = OPERATIONS.find(([, matches]) => matches(call));
      if (!operation) throw new Refusal(501, 'NotImplemented', `${request.method} ${request.url}`);
      server.calls.push(operation[0]);
      const reply = operation[2](call, server);
      answer(response, reply, operation[0] === 'GetObject' ? cutAfter : undefined);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (status === undefined && error.status !== 404 && error.status !== 416)
        server.refused.push(`${error.code}: ${error.message}`);
      const content = `<?xml version="1.0"?><Error><Code>${error.code}</Code><Message>${error.message}</Message></Error>`;
      answer(response, { status: error.status, headers: { 'content-type': 'application/xml' }, body: content });
    }
  };
  return server;
};
