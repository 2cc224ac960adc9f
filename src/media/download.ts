import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { GuardedClient } from '../outbound-http/guarded-client.js';
import { MediaFetchError, statusError } from '../outbound-http/fetch-error.js';

/** What a download may take. */
export interface DownloadLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Awaited before so many more bytes are written; throws where there is no room for them. */
  readonly reserve: (bytes: number) => Promise<void>;
}

/**
 * Streams a file to disk: it is at `path` when it is whole, and nowhere otherwise.
 * @returns its length in bytes.
 * @throws MediaFetchError alone; `storage` where the disk refuses.
 */
export const download = async (
  client: GuardedClient,
  url: string,
  path: string,
  { reserve, ...limits }: DownloadLimits,
): Promise<number> => {
  const answer = await client.open(url, limits);
  const partial = `${path}.partial`;
  let received = 0;
  try {
    if (answer.status >= 400) throw statusError(answer.status);
    if (answer.status !== 200)
      throw new MediaFetchError('bad_answer', `is on a host that answers ${answer.status} in place of the file`, {
        permanent: false,
        status: answer.status,
      });
    const announced = answer.contentLength ?? 0;
    await reserve(announced);
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of answer.body) {
        const before = Math.max(received, announced);
        received += chunk.length;
        if (received > before) await reserve(received - before);
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(partial, { flags: 'wx', mode: 0o600 }));
    await rename(partial, path);
    return received;
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error instanceof MediaFetchError ? error : storageError('could not be written to our disk', error);
  } finally {
    answer.close();
  }
};

/** A failure of ours: never the sender's fault, and worth another try. */
export const storageError = (what: string, cause?: unknown): MediaFetchError =>
  new MediaFetchError('storage', what, { permanent: false, cause });
