import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from './manage.js';

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** One request to POST /v1/webhooks/{slug}. */
export const publish = async (
  url: string,
  { path, token }: Endpoint,
  payload: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
};

/** The id of the post that an answer names. */
export const postIdOf = ({ body }: Pick<Answer, 'body'>): string => (JSON.parse(body) as { id: string }).id;

/** A post that was sent, and answered in the end. */
export interface Sent {
  readonly endpoint: Endpoint;
  /** Idempotency-Key, and the post's text: what the wall shows is known by it. */
  readonly key: string;
  readonly payload: { readonly text: string; readonly external_id?: string };
  readonly answer: Answer;
  /** Of one client, which sends the next only when the last is answered. */
  readonly client: string;
}

/**
 * A client that keeps to the specification (Client retry policy): 503 and broken connections are repeated with the same
 * Idempotency-Key, in time that runs faster; everything else but 200 and 202 is final, and a fault of the gateway here.
 */
export class PatientClient {
  private static readonly PAUSES_MS = [50, 150, 450, 1_000];

  /** @param urls where the gateway may be reached; the next is tried where one does not answer */
  constructor(
    readonly name: string,
    private readonly urls: () => readonly string[],
    private readonly patienceMs = 60_000,
  ) {}

  /** @throws Error on an answer that is neither a success nor 503, and where none came in all that time. */
  async send(endpoint: Endpoint, key: string, payload: Sent['payload'] = { text: key }): Promise<Sent> {
    const giveUpAt = Date.now() + this.patienceMs;
    for (let attempt = 0; ; attempt++) {
      const { answer, cause } = await this.attempt(endpoint, key, payload, attempt);
      if (answer && (answer.status === 200 || answer.status === 202))
        return { endpoint, key, payload, answer, client: this.name };
      if (answer && answer.status !== 503) throw new Error(`${key}: ${answer.status} ${answer.body}`);
      if (Date.now() > giveUpAt) throw new Error(`${key} is not taken: ${answer?.body}`, { cause });
      await sleep(PatientClient.PAUSES_MS[Math.min(attempt, PatientClient.PAUSES_MS.length - 1)]);
    }
  }

  /** One try; no answer where the connection was refused, or broke off: nobody knows what became of the request. */
  private async attempt(
    endpoint: Endpoint,
    key: string,
    payload: object,
    attempt: number,
  ): Promise<{ answer?: Answer; cause?: unknown }> {
    const urls = this.urls();
    try {
      return { answer: await publish(urls[attempt % urls.length]!, endpoint, payload, { 'idempotency-key': key }) };
    } catch (cause) {
      return { cause };
    }
  }
}
