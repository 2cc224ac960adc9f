import { setTimeout as sleep } from 'node:timers/promises';
import { PatientClient, type Sent } from './client.js';
import type { Endpoint } from './manage.js';
import type { Random } from './random.js';

/** Posts on their way, from several clients at once. */
export interface Load {
  /** What has been answered so far, in the order of the answers. */
  readonly sent: readonly Sent[];
  /** Resolves when everything is answered; rejects at the first answer that no client may get. */
  readonly done: Promise<void>;
  /** Something else that is waited for meanwhile: an answer that no client may get ends the wait. */
  during<T>(work: Promise<T>): Promise<T>;
}

interface LoadOptions {
  readonly endpoints: readonly Endpoint[];
  readonly random: Random;
  /** Where the gateway may be reached just now. */
  readonly urls: () => readonly string[];
  /** Posts in all, rounded up to the same number for every client; or until when to go on. */
  readonly posts: number | (() => boolean);
  /** Between an answer and a client's next post, milliseconds; 30 by default. */
  readonly longestPauseMs?: number;
}

/**
 * Two clients for each endpoint, each sending one post after the other with pauses of chance. The second also names its
 * posts by `external_id`.
 */
export const startLoad = ({ endpoints, random, urls, posts, longestPauseMs = 30 }: LoadOptions): Load => {
  const sent: Sent[] = [];
  const clients = endpoints.flatMap((endpoint, i) => [
    { endpoint, client: new PatientClient(`endpoint ${i}, client 1`, urls), named: false },
    { endpoint, client: new PatientClient(`endpoint ${i}, client 2`, urls), named: true },
  ]);
  const more = typeof posts === 'number' ? (n: number) => n <= Math.ceil(posts / clients.length) : posts;
  const work = clients.map(async ({ endpoint, client, named }) => {
    for (let n = 1; more(n); n++) {
      await sleep(random.below(longestPauseMs));
      const key = `${client.name}, post ${n}`;
      sent.push(await client.send(endpoint, key, { text: key, ...(named && { external_id: `id of ${key}` }) }));
    }
  });
  const done = Promise.all(work).then(() => undefined);
  done.catch(() => undefined); // whoever waits for it hears of it
  return { sent, done, during: (other) => Promise.race([other, done.then(() => other)]) };
};
