import type { Catalogue, DomainEvent } from '../../kernel/events.js';

/**
 * A file holds old events from now on, and the table is to lose them (D-101). Positions are text, because they may
 * exceed 2^53.
 */
export type HistoryArchived = DomainEvent<
  'HistoryArchived',
  {
    /** UTC: `2026-11`. A month may need several files. */
    readonly month: string;
    /** Name in the store of uploads. */
    readonly file: string;
    /** Of the file, in hex. */
    readonly sha256: string;
    readonly firstPosition: string;
    readonly lastPosition: string;
    readonly events: number;
  }
>;

export const archiveEvents = {
  HistoryArchived: { version: 1 },
} satisfies Catalogue & Record<HistoryArchived['type'], unknown>;

/** Id of the only archive. */
export const ARCHIVE_ID = 'history';
