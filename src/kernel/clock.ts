import type { Instant } from './instant.js';

/** Where the edges read the time. Deciders never see a clock: time reaches them inside the command. */
export interface Clock {
  now(): Instant;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Injection token of the {@link Clock}. */
export const CLOCK = Symbol('Clock');
