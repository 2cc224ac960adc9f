import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { type Define, fieldOptions, limitOf, queryOf } from '../define.js';
import { failToRead } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Column } from '../output.js';

const FILTERS = ['owner_id', 'type'] as const;
const COLUMNS: readonly Column[] = ['id', 'type', 'bytes', 'expires_at', 'kept_for', 'filename'];

/** Adds `media`. */
export const addMedia = (define: Define): void => {
  const group = define({ usage: 'media', summary: SUMMARIES.media, example: 'crosspost media list' });
  group({
    usage: 'upload <file>',
    summary: SUMMARIES.uploadMedia,
    example: 'crosspost media upload dusk.jpg --owner-id $OWNER',
    options: fieldOptions(['owner_id'], 'text'),
    handler: async ({ api, out, args: [file = ''], options }) => {
      const { blob, filename } = await openFile(file);
      out.answer(await api.uploadMedia(blob, { filename, ownerId: options.ownerId as string | undefined }));
    },
  });
  group({
    usage: 'list',
    summary: SUMMARIES.listMedia,
    example: 'crosspost media list --type photo',
    options: { '--limit <n>': OPTIONS.limit, ...fieldOptions(FILTERS, 'text') },
    handler: ({ api, out, options }) => {
      const query = queryOf<'/media'>(FILTERS, options);
      return out.list(api.list('/media', { query }, limitOf(options)), COLUMNS);
    },
  });
  group({
    usage: 'delete <id>',
    summary: SUMMARIES.deleteMedia,
    example: 'crosspost media delete $FILE',
    handler: async ({ api, out, args: [id = ''] }) => {
      await api.delete('/media/{id}', { path: { id } });
      out.note(CLI_MESSAGES.deleted({ id }));
    },
  });
};

/** Opens a file for an upload, without reading it. @throws WrongUsage */
export const openFile = async (file: string): Promise<{ readonly blob: Blob; readonly filename: string }> => ({
  blob: await openAsBlob(file).catch((error: unknown) => failToRead(file, error)),
  filename: basename(file),
});
