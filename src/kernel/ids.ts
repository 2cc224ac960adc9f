import { v5, v7 } from 'uuid';
import type { Instant } from './instant.js';

/** Public prefixes (D-2). */
export type IdPrefix = 'own' | 'tgt' | 'prj' | 'ep' | 'post' | 'pub' | 'whk' | 'dlv' | 'req' | 'job';

/** A new public id: prefix and a time-ordered UUID v7 in hex (D-2). */
export const newId = (prefix: IdPrefix): string => `${prefix}_${v7().replaceAll('-', '')}`;

/** A new UUID v7, for commands and other things without a public name. */
export const newUuid = (): string => v7();

const NAMESPACE = '6f1d3e54-5d0b-5a4e-9d3c-0c2f9b1a7e11';

/** The same name gives the same UUID, for ever: what makes an append safe to repeat. */
export const derivedUuid = (name: string): string => v5(name, NAMESPACE);

/** A public id that follows from a name, e.g. a publication's from its post and channel. */
export const derivedId = (prefix: IdPrefix, name: string): string =>
  `${prefix}_${derivedUuid(name).replaceAll('-', '')}`;

/**
 * A public id that follows from a name and a moment: time-ordered like {@link newId}, and the same however often it is
 * made, so that a creation may be repeated.
 */
export const repeatableId = (prefix: IdPrefix, name: string, at: Instant): string => {
  const random = Buffer.from(derivedUuid(name).replaceAll('-', ''), 'hex');
  return `${prefix}_${v7({ msecs: at, random }).replaceAll('-', '')}`;
};
