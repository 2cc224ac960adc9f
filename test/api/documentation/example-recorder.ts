/** A request that was sent, and its answer, as the documentation shows them. */
export interface RecordedExample {
  readonly request?: unknown;
  readonly answer?: unknown;
}

/** A call of a route. */
export interface RecordedCall {
  /** Values of the path's parameters, in their order. */
  readonly ids?: readonly string[];
  readonly key: string;
  readonly query?: string;
  /** An object is sent as JSON, a text as NDJSON. */
  readonly body?: object | string | undefined;
}

/** Answer fields that hold a secret. Examples show only the beginning, so that secret scanners do not report them. */
const SECRET_FIELDS = new Set(['key', 'token', 'secret', 'signing_secret']);
/** Characters of a text and elements of a list that are shown. */
const SHOWN_CHARS = 2_000;
const SHOWN_ITEMS = 5;

/** Calls a gateway, and keeps the first successful request and answer of each route. */
export class ExampleRecorder {
  readonly examples = new Map<string, RecordedExample>();

  /** @param shown replacements for texts of this run, such as this machine's addresses */
  constructor(
    private readonly url: string,
    private readonly shown: Readonly<Record<string, string>>,
  ) {}

  /**
   * Calls a route (`GET /manage/v1/owners/:id`) and returns the parsed answer.
   * @param status expected error status of a call that fails on any healthy gateway; only its request is kept
   * @throws Error if the answer has another status
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each route has its own answer
  async call(route: string, { ids = [], key, query, body }: RecordedCall, status?: number): Promise<any> {
    const [method, template = ''] = route.split(' ');
    const values = [...ids];
    const path = template.replaceAll(/:\w+/g, () => encodeURIComponent(values.shift()!));
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    const answer = await fetch(`${this.url}${path}${query ? `?${query}` : ''}`, {
      method: method!,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (status === undefined ? !answer.ok : answer.status !== status)
      throw new Error(`${route} answered ${answer.status}: ${text}`);
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    const parsed: unknown = isJson ? JSON.parse(text) : text;
    if (!this.examples.has(route))
      this.examples.set(route, {
        ...(body !== undefined && { request: this.show(body) }),
        ...(answer.ok && { answer: this.show(parsed) }),
      });
    return parsed;
  }

  /** Uploads a file, whose bytes are not shown. */
  async upload(route: string, key: string, file: Buffer): Promise<{ readonly id: string }> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' };
    const init = { method: 'POST', headers, body: file as unknown as string };
    const answer = await fetch(`${this.url}${route.split(' ')[1]}`, init);
    const parsed = (await answer.json()) as { readonly id: string };
    if (!answer.ok) throw new Error(`${route} answered ${answer.status}: ${JSON.stringify(parsed)}`);
    this.examples.set(route, { answer: this.show(parsed) });
    return parsed;
  }

  /** Reads the first event of a stream that never ends, and keeps it. @param act causes an event */
  async readFirstEvent(route: string, key: string, act: () => Promise<unknown>): Promise<void> {
    const stop = new AbortController();
    const options = { headers: { authorization: `Bearer ${key}` }, signal: stop.signal };
    const { body } = await fetch(`${this.url}${route.split(' ')[1]}`, options);
    await act();
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/^data:.*\n\n/m.test(text)) break;
    }
    stop.abort();
    this.examples.set(route, { answer: this.show(text) });
  }

  /** Returns an answer without the address and the secrets of this run. */
  private show(value: unknown, field = ''): unknown {
    if (Array.isArray(value)) return value.slice(0, SHOWN_ITEMS).map((each) => this.show(each));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.show(each, name)]));
    if (typeof value !== 'string') return value;
    if (SECRET_FIELDS.has(field)) return `${value.slice(0, 6)}EXAMPLE`;
    const replaced = Object.entries(this.shown).reduce((text, [own, shown]) => text.replaceAll(own, shown), value);
    return shorten(replaced);
  }
}

/** Cuts a long text at the end of a line. */
const shorten = (text: string): string =>
  text.length <= SHOWN_CHARS ? text : `${text.slice(0, text.lastIndexOf('\n', SHOWN_CHARS))}\n`;

/** Closes every object that lists its properties, so that a member that the document does not list fails. */
export const closeObjects = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closeObjects(each)]));
  const isOpen = closed.properties === undefined || closed.additionalProperties !== undefined;
  return isOpen || closed.type !== 'object' ? closed : { ...closed, additionalProperties: false };
};
