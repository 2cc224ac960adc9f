import type { Instant } from '../../kernel/clock.js';
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

/**
 * Read models let go of what grows with posts and is settled, up to a time (D-101). Each event covers few posts, because
 * a read model applies it in one transaction.
 */
export type HorizonMoved = DomainEvent<
  'HorizonMoved',
  {
    /** Exclusive: posts accepted, and deliveries scheduled, before this time leave. */
    readonly before: Instant;
    /** No event before that time has a higher position. Text, like other positions. */
    readonly position: string;
  }
>;

export type ArchiveEvent = HistoryArchived | HorizonMoved;

export const archiveEvents = {
  HistoryArchived: { version: 1 },
  HorizonMoved: { version: 1 },
} satisfies Catalogue & Record<ArchiveEvent['type'], unknown>;

/** Id of the only archive. */
export const ARCHIVE_ID = 'history';
