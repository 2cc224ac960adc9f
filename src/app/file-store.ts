import type { Settings } from '../config/settings.js';
import type { FileStore } from '../uploads/file-store.js';
import { FolderStore } from '../uploads/folder-store.js';
import type { Resources } from './resources.js';

/** Opens the store of uploaded files. The client for S3 is loaded only if it is used: it takes time and memory. */
export const openFileStore = async (
  { mediaStore }: Pick<Settings, 'mediaStore'>,
  resources: Resources,
): Promise<FileStore> => {
  const store =
    'folder' in mediaStore
      ? new FolderStore(mediaStore.folder)
      : new (await import('../uploads/s3-store.js')).S3Store(mediaStore);
  await resources.add(() => store.close());
  return store;
};
