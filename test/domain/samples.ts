import { catalogue } from '../../src/domain/catalogue.js';
import type { DomainEvent } from '../../src/kernel/events.js';
import { media } from './samples/media.js';
import { operations } from './samples/operations.js';
import { publishing } from './samples/publishing.js';
import { settings } from './samples/settings.js';
import { webhooks } from './samples/webhooks.js';

/**
 * For each event type, the current data of its golden files, one for each version, the oldest first. The last one
 * becomes the file of the current version.
 */
export type SamplesOf<E extends DomainEvent> = {
  readonly [T in E['type']]: readonly [Extract<E, { type: T }>['data'], ...Extract<E, { type: T }>['data'][]];
};

const listed: Readonly<Record<string, readonly unknown[]>> = {
  ...settings,
  ...publishing,
  ...webhooks,
  ...operations,
  ...media,
};

/** One sample for every event type and version of the catalogue. The version that seals content has the same data. */
export const samples: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  Object.entries(listed).map(([type, data]) => [
    type,
    catalogue[type]?.content && data.length < catalogue[type].version ? [...data, data.at(-1)] : data,
  ]),
);
