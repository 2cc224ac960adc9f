import { hash, randomBytes } from 'node:crypto';

/** 32 random bytes, URL-safe. */
const random = (): string => randomBytes(32).toString('base64url');

/** An endpoint's bearer token: `<brand>_live_…` or `<brand>_test_…` (publish-api.md: Authentication, 2; D-34). */
export const newToken = (brand: string, mode: 'live' | 'test'): string => `${brand}_${mode}_${random()}`;

/** An owner's key (management-api.md: Manners). */
export const newOwnerKey = (brand: string): string => `${brand}_owner_${random()}`;

/** An endpoint's slug: opaque, URL-safe, without signs that a shell or a reader could stumble over. */
export const newSlug = (): string => randomBytes(12).toString('hex');

/** A secret for HMAC signatures. */
export const newSigningSecret = (): string => random();

/** What is kept of a token: SHA-256, hex. A slow hash would add nothing for 32 random bytes. */
export const tokenHash = (token: string): string => hash('sha256', token);
