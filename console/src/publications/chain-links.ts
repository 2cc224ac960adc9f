import type { Publication } from './shown-state.js';

/** Maximum number of links shown in a chain. */
export const MAX_LINKS = 4;

/**
 * The publications that a publication waits for, starting with the first cause, followed by the publication itself. A
 * chain longer than {@link MAX_LINKS} is cut off at its start.
 */
export interface Chain {
  readonly links: readonly Publication[];
  /** Number of hidden publications between the last two links; null if not known yet. */
  readonly between: number | null;
}

/** The part of a receipt that shows whether its publication is still ahead of another. */
interface Place {
  readonly sequence: number;
  readonly state: Publication['state'];
}

/** Counts the publications of a channel that are still to be published between the first and the given number. */
export const countBetween = (receipts: readonly Place[], first: number, own: number): number =>
  receipts.filter(
    ({ sequence, state }) => sequence > first && sequence < own && (state === 'queued' || state === 'publishing'),
  ).length;
