import type { RelayedAnswer, RelayedCall } from './relay.js';

/** A call in a form that does not change between runs. */
export interface RecordedCall {
  /** `POST /bot…/sendMessage`. */
  readonly call: string;
  /** Content of the body: the JSON, or the fields of a form or multipart body. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Files of a multipart body, by field. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Response fields that later calls refer to; their values change between runs. */
const GIVEN_OUT = new Set([
  'upload_url',
  'url',
  'video_id',
  'photo_ids',
  'id',
  'token',
  'photo',
  'hash',
  'server',
  'access_key',
]);

/**
 * Records calls. Secrets become `***`, signatures `(signature)`. A value from the response to an earlier call becomes
 * that call's number and the response's field, such as `{{1.upload_url}}`, so that a record shows the dependencies of
 * calls.
 */
export class Recorder {
  readonly calls: RecordedCall[] = [];
  private readonly known = new Map<string, string>();

  /** @param secrets are masked in records */
  constructor(private readonly secrets: readonly string[]) {}

  async record(call: RelayedCall, answer: RelayedAnswer): Promise<void> {
    const { fields, files } = await readBody(call);
    const authorization = call.headers.authorization === undefined ? '' : ' (authorized)';
    const signed = 'sig' in fields ? { ...fields, sig: '(signature)' } : fields;
    const record = {
      call: `${call.method} ${this.readable(call.path)}${authorization}`,
      fields: signed,
      ...files,
    };
    this.calls.push(this.steady(record));
    this.learn(answer);
  }

  /** Decodes an address, unless an answer gave it out, which {@link steady} recognizes only as it was. */
  private readable(path: string): string {
    const known = this.known.get(JSON.stringify(path).slice(1, -1));
    return known === undefined ? decodeURIComponent(path) : `{{${known}}}`;
  }

  private steady(record: RecordedCall): RecordedCall {
    let text = JSON.stringify(record);
    for (const secret of this.secrets) text = text.replaceAll(secret, '***');
    const longestFirst = [...this.known].sort(([a], [b]) => b.length - a.length);
    for (const [value, name] of longestFirst) {
      text = text.replaceAll(`:${value}`, `:"{{${name}}}"`).replaceAll(value, `{{${name}}}`);
    }
    return JSON.parse(text) as RecordedCall;
  }

  private learn({ body }: RelayedAnswer): void {
    this.take(jsonIn(body.toString()) ?? null, `${this.calls.length}`, false);
  }

  private take(value: unknown, name: string, isGivenOut: boolean): void {
    if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        const isList = Array.isArray(value);
        if (name.endsWith('.photos')) this.know(key, `${name}.id`);
        this.take(part, isList ? name : `${name}.${key}`, isGivenOut || GIVEN_OUT.has(key));
      }
    } else if (isGivenOut && (typeof value === 'string' || typeof value === 'number')) {
      const text = String(value);
      const within = jsonIn(text);
      if (typeof within === 'object') this.take(within, name, true);
      else this.know(/^https?:\/\/[^/]+(\/.*)$/.exec(text)?.[1] ?? text, name);
    }
  }

  /** Remembers a value, unless it is so short that it must be a constant of the network. */
  private know(value: string, name: string): void {
    const written = JSON.stringify(value).slice(1, -1);
    if (written.length > 5 && !this.known.has(written)) this.known.set(written, name);
  }
}

/** Parses a text as JSON; returns undefined for anything else. */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Reads the fields and files of a call. */
export const readBody = async ({
  headers,
  body,
}: RelayedCall): Promise<Omit<RecordedCall, 'call' | 'files'> & { files: object }> => {
  const type = headers['content-type'] ?? '';
  if (body.length === 0) return { fields: {}, files: {} };
  if (type.startsWith('application/json')) {
    return { fields: JSON.parse(body.toString()) as Record<string, unknown>, files: {} };
  }
  if (!type.startsWith('multipart/')) {
    return { fields: parsed(Object.fromEntries(new URLSearchParams(body.toString()))), files: {} };
  }
  const form = [...(await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData())];
  const texts = form.filter((part): part is [string, string] => typeof part[1] === 'string');
  const files = form.flatMap(([name, part]) =>
    typeof part === 'string' ? [] : [[name, `${part.name}, ${part.type}, ${part.size} bytes`]],
  );
  return { fields: parsed(Object.fromEntries(texts)), files: { files: Object.fromEntries(files) as object } };
};

/** Parses JSON in a form's field, in which networks accept albums and attachments. */
const parsed = (fields: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, /^[[{]/.test(text) ? (jsonIn(text) ?? text) : text]),
  );
