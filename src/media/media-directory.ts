import { statfs } from 'node:fs/promises';
import { openProcessDirectory, type ProcessDirectory } from '../runtime/process-directory.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';

/** A folder for the files of one gateway. */
interface MediaDirectory extends ProcessDirectory {
  /** Maximum total size of its files, in bytes. */
  readonly capacityBytes: number;
}

/** Enough for a few posts of the maximum size (4 GB). */
const MAX_BYTES = 16 * 1_024 ** 3;
/** Fraction of the free disk space that the files may use. */
const FREE_SPACE_SHARE = 0.5;

/** Creates a folder for a gateway's files below `parent`, using {@link openProcessDirectory}. */
export const openMediaDirectory = async (parent: string): Promise<MediaDirectory> => {
  const directory = await openProcessDirectory(parent).catch((error: unknown) => {
    throw new Error(MEDIA_CACHE_MESSAGES.folder({ error: String(error) }));
  });
  const { bavail, bsize } = await statfs(directory.path);
  return { ...directory, capacityBytes: Math.min(MAX_BYTES, Math.floor(bavail * bsize * FREE_SPACE_SHARE)) };
};
