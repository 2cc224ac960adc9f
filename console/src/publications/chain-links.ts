import type { Publication } from './shown-state.js';

/** Maximum number of links of a chain that are shown. */
export const MAX_LINKS = 4;

/** The publications that one publication waits for, starting with the first cause, and the publication itself last. */
export interface Chain {
  readonly links: readonly Publication[];
  /** Number of hidden publications between the last two links; null if not known yet. */
  readonly between: number | null;
}

/** The part of a receipt that says whether its publication is still ahead of another. */
interface Place {
  readonly sequence: number;
  readonly state: Publication['state'];
}

/** Counts the publications of a channel that are still due between its first one and the given one. */
export const countBetween = (receipts: readonly Place[], first: number, own: number): number =>
  receipts.filter(
    ({ sequence, state }) => sequence > first && sequence < own && (state === 'queued' || state === 'publishing'),
  ).length;
