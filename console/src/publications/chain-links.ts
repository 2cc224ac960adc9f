import type { Publication } from './shown-state.js';

/** Maximum number of links shown in a chain. */
export const MAX_LINKS = 4;

/**
 * A publication, preceded by the publications that it is waiting for, root cause first. A chain longer than
 * {@link MAX_LINKS} is cut off at its start.
 */
export interface Chain {
  readonly links: readonly Publication[];
  /** Number of hidden publications between the last two links; null if not known yet. */
  readonly between: number | null;
}

/** The receipt fields that show whether a publication is still ahead of another. */
interface Place {
  readonly sequence: number;
  readonly state: Publication['state'];
}

/** Counts a channel's queued or publishing publications with a sequence number between `first` and `own`, exclusive. */
export const countBetween = (receipts: readonly Place[], first: number, own: number): number =>
  receipts.filter(
    ({ sequence, state }) => sequence > first && sequence < own && (state === 'queued' || state === 'publishing'),
  ).length;
