import type { UploadedType } from '../../domain/media/media.events.js';
import {
  bigint,
  boolean,
  defineTable,
  double,
  int,
  nullable,
  readSchema,
  type RowOfTable,
  text,
} from '../engine/projection.js';

/** Version of the tables and of the code that fills them; raise it when either changes (ADR-101). */
export const MEDIA_VERSION = 2;
export const MEDIA = readSchema('media', MEDIA_VERSION);

/** Uploaded files that are not deleted. No column is fixed: the same content may be deleted and uploaded again. */
export const fileRows = defineTable(
  { name: 'file', key: 'media_id' },
  {
    media_id: text(),
    owner_id: text(),
    type: text<UploadedType>(),
    mime: text(),
    extension: text(),
    bytes: bigint(),
    sha256: text(),
    filename: nullable(text()),
    width: nullable(int()),
    height: nullable(int()),
    duration_seconds: nullable(double()),
    address: text(),
    /** Name in the store. */
    file: text(),
    created_at: bigint(),
    /** Time of the latest upload of this content. */
    renewed_at: bigint(),
    /** True if a published post links to it: it does not expire (D-92). */
    is_linked: boolean(),
  },
);
/** A row of {@link fileRows}. */
export type FileRow = RowOfTable<typeof fileRows>;

/** The total of each owner's files. */
export const holdingRows = defineTable(
  { name: 'holding', key: 'owner_id', fillfactor: 50 },
  { owner_id: text(), files: bigint(), bytes: bigint() },
);
/** A row of {@link holdingRows}. */
export type HoldingRow = RowOfTable<typeof holdingRows>;

/** Tables of uploaded files (D-90). Times are milliseconds since 1970. */
export const mediaTables = `
  ${fileRows.ddl}
  create index file_owner on file (owner_id, created_at, media_id);
  create index file_renewed on file (renewed_at, media_id);
  create unique index file_file on file (file);

  ${holdingRows.ddl}
`;
