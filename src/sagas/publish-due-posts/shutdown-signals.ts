/** How a worker is told to end. */
export interface Ending {
  /** Nothing new is begun. */
  readonly stop: AbortSignal;
  /** What is under way is broken off: it comes later, or never where it cannot be stopped. */
  readonly breakOff: AbortSignal;
}
