import type { Settings } from '../config/settings.js';
import type { FileStore } from '../uploads/file-store.js';
import { FolderStore } from '../uploads/folder-store.js';
import type { Resources } from './resources.js';

/** Opens the store of uploaded files. */
export const openFileStore = async (
  { mediaStore }: Pick<Settings, 'mediaStore'>,
  resources: Resources,
): Promise<FileStore> => {
  if (!('folder' in mediaStore)) throw new Error('MEDIA_STORE: S3 is not supported yet');
  const store = new FolderStore(mediaStore.folder);
  await resources.add(() => store.close());
  return store;
};
