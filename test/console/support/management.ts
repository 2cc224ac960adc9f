import { randomUUID } from 'node:crypto';

/** An answer of the management API, as far as the tests read it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any;

/** Calls the management API with a key. */
export class Management {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post(path: string, body: object = {}): Promise<Answer> {
    return this.call('POST', path, body);
  }

  patch(path: string, body: object): Promise<Answer> {
    return this.call('PATCH', path, body);
  }

  put(path: string, body: object): Promise<Answer> {
    return this.call('PUT', path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path);
  }

  /** @throws Error with the answer if the call fails */
  private async call(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.url}/manage/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}
