import { setTimeout as sleep } from 'node:timers/promises';
import { RetryingClient, type SentPost } from './client.js';
import type { Endpoint } from './management-client.js';
import type { Random } from './random.js';

/** Posts that several clients send at the same time. */
export interface Load {
  /** Posts accepted so far, in the order of the answers. */
  readonly sent: readonly SentPost[];
  /** Resolves when all posts are answered; rejects at the first answer that no client should get. */
  readonly done: Promise<void>;
  /** Waits for other work while the load runs; rejects at an answer that no client should get. */
  during<T>(work: Promise<T>): Promise<T>;
}

interface LoadOptions {
  readonly endpoints: readonly Endpoint[];
  readonly random: Random;
  /** Current URLs of the gateway. */
  readonly urls: () => readonly string[];
  /**
   * Number of posts, rounded up to the same number for each client; or a function that returns false to end the load.
   */
  readonly posts: number | (() => boolean);
  /** Longest pause between an answer and the client's next post, in ms; 30 by default. */
  readonly longestPauseMs?: number;
  /** Maximum number of posts per second, across all clients; replaces the random pauses. */
  readonly postsPerSecond?: number;
  /** Prefix of the clients' names, and so of their posts' keys, for another load on the same endpoints. */
  readonly prefix?: string;
}

/**
 * Starts two clients for each endpoint. Each sends one post after the other with random pauses, or at a steady rate;
 * the second also sends an `external_id` with each post.
 */
export const startLoad = (options: LoadOptions): Load => {
  const { endpoints, random, urls, posts, longestPauseMs = 30, postsPerSecond, prefix = '' } = options;
  const sent: SentPost[] = [];
  const clients = endpoints.flatMap((endpoint, i) => [
    { endpoint, client: new RetryingClient(`${prefix}endpoint ${i}, client 1`, urls), sendsExternalId: false },
    { endpoint, client: new RetryingClient(`${prefix}endpoint ${i}, client 2`, urls), sendsExternalId: true },
  ]);
  const hasMore = typeof posts === 'number' ? (n: number) => n <= Math.ceil(posts / clients.length) : posts;
  const startedAt = performance.now();
  /** Returns the pause before a client's n-th post. A client that is late does not pause. */
  const pauseBefore = (n: number): number => {
    if (postsPerSecond === undefined) return random.below(longestPauseMs);
    return Math.max(0, startedAt + (n * 1_000 * clients.length) / postsPerSecond - performance.now());
  };
  const work = clients.map(async ({ endpoint, client, sendsExternalId }) => {
    for (let n = 1; hasMore(n); n++) {
      await sleep(pauseBefore(n));
      const key = `${client.name}, post ${n}`;
      sent.push(
        await client.send(endpoint, key, { text: key, ...(sendsExternalId && { external_id: `id of ${key}` }) }),
      );
    }
  });
  const done = Promise.all(work).then(() => undefined);
  done.catch(() => undefined); // the error reaches the caller that awaits it
  return { sent, done, during: (other) => Promise.race([other, done.then(() => other)]) };
};
