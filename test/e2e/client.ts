import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from './management-client.js';

/** A raw response. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends one POST /v1/webhooks/{slug}. */
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

/** Returns the id of the post in a response. */
export const postIdOf = ({ body }: Pick<Answer, 'body'>): string => (JSON.parse(body) as { id: string }).id;

/** An accepted post. */
export interface SentPost {
  readonly endpoint: Endpoint;
  /** Idempotency-Key; also the post's text, so that it identifies the post on the wall. */
  readonly key: string;
  readonly payload: { readonly text: string; readonly external_id?: string; readonly publish_at?: string };
  readonly answer: Answer;
  /** Name of the client. A client sends a post only after the answer to the previous one. */
  readonly client: string;
}

/**
 * A client that follows the specification (Client retry policy), with shorter waits: after 503 or a broken
 * connection it repeats the request with the same Idempotency-Key. An answer other than 200, 202 and 503 is a fault of the
 * gateway.
 */
export class RetryingClient {
  private static readonly RETRY_DELAYS_MS = [50, 150, 450, 1_000];

  /** @param urls URLs of the gateway; if one does not answer, the client tries the next */
  constructor(
    readonly name: string,
    private readonly urls: () => readonly string[],
    private readonly timeLimitMs = 180_000,
  ) {}

  /** @throws Error on an answer other than 200, 202 and 503, or if no attempt succeeds within the time limit */
  async send(endpoint: Endpoint, key: string, payload: SentPost['payload'] = { text: key }): Promise<SentPost> {
    const giveUpAt = Date.now() + this.timeLimitMs;
    for (let attempt = 0; ; attempt++) {
      const { answer, cause } = await this.attempt(endpoint, key, payload, attempt);
      if (answer && (answer.status === 200 || answer.status === 202))
        return { endpoint, key, payload, answer, client: this.name };
      if (answer && answer.status !== 503) throw new Error(`${key}: ${answer.status} ${answer.body}`);
      if (Date.now() > giveUpAt) throw new Error(`${key} was not accepted: ${answer?.body}`, { cause });
      await sleep(RetryingClient.RETRY_DELAYS_MS[Math.min(attempt, RetryingClient.RETRY_DELAYS_MS.length - 1)]);
    }
  }

  /** Sends the request once. The result has no answer if the connection was refused or broke: the outcome is unknown. */
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
