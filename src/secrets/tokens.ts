import { hash, randomBytes } from 'node:crypto';

/** Returns 32 random bytes, URL-safe. */
const randomSecret = (): string => randomBytes(32).toString('base64url');

/** Creates an endpoint's bearer token: `<brand>_live_…` or `<brand>_test_…` (publish-api.md: Authentication, 2; D-34). */
export const newToken = (brand: string, mode: 'live' | 'test'): string => `${brand}_${mode}_${randomSecret()}`;

/** Creates an owner's API key (management-api.md: Manners). */
export const newOwnerKey = (brand: string): string => `${brand}_owner_${randomSecret()}`;

/** Creates a named key (D-93). */
export const newNamedKey = (brand: string): string => `${brand}_key_${randomSecret()}`;

/** Creates an endpoint's slug: opaque, URL-safe, without characters that need quoting or are easily misread. */
export const newSlug = (): string => randomBytes(12).toString('hex');

/** Creates a secret for HMAC signatures. */
export const newSigningSecret = (): string => randomSecret();

/** Returns the stored form of a token: SHA-256, hex. A slow hash would add nothing for 32 random bytes. */
export const hashToken = (token: string): string => hash('sha256', token);
