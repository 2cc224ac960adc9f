import type { Instant } from './instant.js';

/** Source of the current time for code at the edges. Deciders never use a clock: the command carries the time. */
export interface Clock {
  now(): Instant;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Injection token for the length of a minute in pauses and retries, in ms (setting MINUTE_MS). */
export const MINUTE_MS = Symbol('MinuteMs');

/** Injection token for the process's {@link Clock}. */
export const CLOCK = Symbol('Clock');

/** Injection token for the {@link Clock} that decides when planned posts are due: the database's (D-79). */
export const SHARED_CLOCK = Symbol('SharedClock');
