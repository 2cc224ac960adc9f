import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { FetchError, fetchErrorOfStatus } from '../outbound-http/fetch-error.js';
import type { GuardedClient } from '../outbound-http/guarded-client.js';
import { FETCH_MESSAGES } from '../outbound-http/messages.js';
import type { FileTarget } from './disk-cache.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';

interface DownloadLimits extends Pick<FileTarget, 'signal' | 'reserve'> {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * Streams a file to disk. The file exists at `path` only if it is complete.
 * @returns the file's length in bytes
 * @throws only FetchError; `storage` for disk errors
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
    if (answer.status >= 400) throw fetchErrorOfStatus(answer.status);
    if (answer.status !== 200) {
      const { status } = answer;
      throw new FetchError('bad_answer', FETCH_MESSAGES.otherStatus({ status }), { isPermanent: false, status });
    }
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
    throw error instanceof FetchError ? error : storageError(MEDIA_CACHE_MESSAGES.notWritten, error);
  } finally {
    answer.close();
  }
};

/** Returns the error for a failure of the gateway's disk, which may be retried. */
export const storageError = (what: string, cause?: unknown): FetchError =>
  new FetchError('storage', what, { isPermanent: false, cause });
