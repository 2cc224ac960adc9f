import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import type { Log } from '../kernel/log.js';
import { openMediaDirectory } from '../media/disk-cache.js';
import type { Inspector } from '../media/inspector.js';
import { MediaCache } from '../media/media-cache.js';
import { PhotoEditor } from '../media/photo-editor.js';
import { GuardedClient } from '../outbound-http/guarded-client.js';
import type { AddressPolicy } from '../outbound-http/url-rules.js';
import { MediaFiles } from '../sagas/publish-due-posts/inputs/shared-inputs.js';
import type { FileStore } from '../uploads/file-store.js';
import { FolderStore } from '../uploads/folder-store.js';
import type { UploadReader } from '../uploads/upload-reader.js';
import type { Resources } from './process-options.js';

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

/** Opens the cache of media to upload to the networks. This process keeps its files below DATA_DIR until it stops. */
export const openMediaFiles = async (
  { dataDir }: Pick<Settings, 'dataDir'>,
  policy: AddressPolicy,
  inspector: Inspector,
  log: Log,
  resources: Resources,
  uploads: UploadReader,
): Promise<MediaFiles> => {
  const directory = await openMediaDirectory(join(dataDir, 'media'));
  await resources.add(() => directory.close());
  const client = new GuardedClient({ policy });
  await resources.add(() => client.close());
  const editor = new PhotoEditor({ log });
  const { path, capacityBytes } = directory;
  const cache = new MediaCache({ client, uploads, inspector, editor, directory: path, capacityBytes });
  await resources.add(() => cache.close());
  await resources.add(() => editor.close());
  return new MediaFiles(cache, log);
};
