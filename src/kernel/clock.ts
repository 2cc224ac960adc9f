import type { Instant } from './instant.js';

/** Source of the current time for code at the edges. Deciders never use a clock: the command carries the time. */
export interface Clock {
  now(): Instant;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Injection token of the {@link Clock}. */
export const CLOCK = Symbol('Clock');
