import type { MediaEvent, MediaUploaded } from '../../domain/media/media.events.js';
import type { OwnerContentErased } from '../../domain/owner/owner.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { isErased, monthAt } from '../engine/erased-content.js';
import type { Projection } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { type FileRow, fileRows, type HoldingRow, holdingRows, MEDIA_VERSION, mediaTables } from './media.tables.js';

type HandledEvent = RecordedEventOf<MediaEvent>;

const TYPES: ReadonlySet<string> = new Set<HandledEvent['type'] | OwnerContentErased['type']>([
  'MediaUploaded',
  'MediaRenewed',
  'MediaLinked',
  'MediaDeleted',
  'OwnerContentErased',
]);

/** Uploaded files, and how much each owner has (D-90). */
export const media: Projection = {
  name: 'media',
  version: MEDIA_VERSION,
  tables: mediaTables,
  views: ['file', 'holding'],
  keepsAnchor: true,
  handles: (type) => TYPES.has(type),

  async apply(tx, events, cache) {
    const handled = events as readonly HandledEvent[];
    const files = await Rows.load<FileRow>(
      tx,
      fileRows,
      handled.map(({ data }) => data.mediaId),
      cache,
    );
    const holdings = await Rows.load<HoldingRow>(
      tx,
      holdingRows,
      handled.map(({ data }) => data.ownerId),
      cache,
    );
    const hold = (ownerId: string, added: 1 | -1, size: number): void => {
      const { files: count, bytes } = holdings.get(ownerId) ?? { files: 0, bytes: 0 };
      holdings.put({ owner_id: ownerId, files: count + added, bytes: bytes + added * size });
      if (count + added === 0) holdings.remove(ownerId);
    };
    for (const event of handled) {
      const { mediaId, ownerId } = event.data;
      const row = files.get(mediaId);
      switch (event.type) {
        case 'MediaUploaded':
          files.put(rowOf(event.data));
          hold(ownerId, 1, event.data.bytes);
          break;
        case 'MediaRenewed': {
          const { renewedAt, file } = event.data;
          files.patch(mediaId, { renewed_at: renewedAt, ...(file !== undefined && { file }) });
          break;
        }
        case 'MediaLinked':
          files.patch(mediaId, { is_linked: true });
          break;
        case 'MediaDeleted':
          if (!row) break;
          files.remove(mediaId);
          hold(ownerId, -1, row.bytes);
      }
    }
    await files.flush();
    await holdings.flush();
  },

  async erase(tx, { ownerId, months }) {
    const isOld = isErased(monthAt('created_at'));
    await tx.query(`update file set filename = null where owner_id = $1 and filename is not null and ${isOld}`, [
      ownerId,
      months,
    ]);
  },
};

const rowOf = (data: MediaUploaded['data']): FileRow => {
  const { mediaId, ownerId, type, mime, extension, bytes, sha256, filename, width, height, address, file } = data;
  return {
    media_id: mediaId,
    owner_id: ownerId,
    type,
    mime,
    extension,
    bytes,
    sha256,
    filename,
    width,
    height,
    duration_seconds: data.durationSeconds,
    address,
    file,
    created_at: data.uploadedAt,
    renewed_at: data.uploadedAt,
    is_linked: false,
  };
};
