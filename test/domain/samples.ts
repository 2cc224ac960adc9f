import type { DomainEvent } from '../../src/kernel/events.js';
import { publishing } from './samples/publishing.js';
import { settings } from './samples/settings.js';

/**
 * For each event type what its golden files read as, one for each version, oldest first: what data written at that
 * version are today. The last is what today's version is written from.
 */
export type SamplesOf<E extends DomainEvent> = {
  readonly [T in E['type']]: readonly [Extract<E, { type: T }>['data'], ...Extract<E, { type: T }>['data'][]];
};

/** One sample for every event type and version of the catalogue. */
export const samples: Readonly<Record<string, readonly unknown[]>> = { ...settings, ...publishing };
