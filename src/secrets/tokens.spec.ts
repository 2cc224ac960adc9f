import { createHash } from 'node:crypto';
import { hashToken, newOwnerKey, newSigningSecret, newSlug, newToken } from './tokens.js';

const SECRET = /^[\w-]{43}$/;

describe('a secret', () => {
  it('names the brand and its kind', () => {
    expect(newToken('acme', 'live')).toMatch(/^acme_live_[\w-]{43}$/);
    expect(newToken('acme', 'test')).toMatch(/^acme_test_[\w-]{43}$/);
    expect(newOwnerKey('acme')).toMatch(/^acme_owner_[\w-]{43}$/);
    expect(newSigningSecret()).toMatch(SECRET);
    expect(newSlug()).toMatch(/^[\da-f]{24}$/);
  });

  it.each([newSlug, newSigningSecret, () => newOwnerKey('acme'), () => newToken('acme', 'live')])(
    'is another one each time (%#)',
    (create) => {
      expect(new Set(Array.from({ length: 100 }, create)).size).toBe(100);
    },
  );

  it('is stored as its SHA-256 in hex', () => {
    expect(hashToken('acme_live_x')).toBe(createHash('sha256').update('acme_live_x').digest('hex'));
  });
});
