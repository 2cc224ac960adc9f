import { createHash, createHmac } from 'node:crypto';
import { addressAllowed, bearerToken, signatureMatches, timestampAccepted, tokenMatches } from './credentials.js';

const T = Date.UTC(2026, 2, 14, 12);
const seconds = (offset: number): string => String(T / 1_000 + offset);

describe('a timestamp (publish-api.md: Authentication, 4)', () => {
  it.each([
    ['now', seconds(0), true],
    ['five minutes ago', seconds(-300), true],
    ['five minutes ahead', seconds(300), true],
    ['a second more ago', seconds(-301), false],
    ['a second further ahead', seconds(301), false],
    ['in milliseconds', String(T), false],
    ['negative', '-1', false],
    ['with a fraction', `${seconds(0)}.5`, false],
    ['as a float', '1.7e9', false],
    ['empty', '', false],
    ['twice', `${seconds(0)}, ${seconds(0)}`, false],
    ['missing', undefined, false],
  ])('%s', (_, header, accepted) => {
    // Whenever within its second the request comes.
    for (const ms of [0, 1, 999]) expect(timestampAccepted(header, T + ms)).toBe(accepted);
  });
});

describe('a bearer token (publish-api.md: Authentication, 1)', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc ', 'abc'],
    ['Bearer a b', ''],
    ['Bearerabc', ''],
    ['Basic abc', ''],
    ['Bearer ', ''],
    ['', ''],
    [undefined, ''],
  ])('of %j is %j', (header, token) => expect(bearerToken(header)).toBe(token));

  it('matches its own hash alone; no token matches none', () => {
    const hash = createHash('sha256').update('abc').digest('hex');
    expect(tokenMatches('abc', hash)).toBe(true);
    expect(tokenMatches('abd', hash)).toBe(false);
    expect(tokenMatches('', '0'.repeat(64))).toBe(false);
  });
});

describe('an allowlist (publish-api.md: Authentication, 7)', () => {
  it.each([
    ['192.0.2.7', [], true],
    ['192.0.2.7', ['192.0.2.7'], true],
    ['192.0.2.7', ['192.0.2.0/24'], true],
    ['192.0.3.7', ['192.0.2.0/24'], false],
    ['::ffff:192.0.2.7', ['192.0.2.0/24'], true],
    ['192.0.2.7', ['::ffff:192.0.2.7'], true],
    ['192.0.2.7', ['::/0'], false],
    ['2001:db8::7', ['0.0.0.0/0'], false],
    ['2001:db8::7', ['198.51.100.0/24', '2001:db8::/32'], true],
    ['2001:DB8:0::0007', ['2001:db8::7'], true],
    ['no address', ['0.0.0.0/0'], false],
  ])('%s in %j: %j', (ip, allowlist, allowed) => expect(addressAllowed(ip, allowlist)).toBe(allowed));
});

describe('a signature (publish-api.md: Authentication, 5)', () => {
  const signature = createHmac('sha256', 'new').update('body').digest('hex');

  it.each([
    ['with its prefix', `sha256=${signature}`, true],
    ['without', signature, true],
    ['in upper case', signature.toUpperCase(), true],
    ['with a prefix in upper case', `SHA256=${signature}`, true],
    ['too short', signature.slice(1), false],
    ['too long', `${signature}0`, false],
    ['with something that is no hex', `g${signature.slice(1)}`, false],
    ['of another algorithm', `sha1=${signature}`, false],
    ['of zeros', '0'.repeat(64), false],
    ['empty', '', false],
    ['missing', undefined, false],
  ])('%s', (_, header, matches) => expect(signatureMatches(header, 'body', ['old', 'new'])).toBe(matches));

  it('is of the very bytes', () => expect(signatureMatches(signature, 'Body', ['new'])).toBe(false));

  it('is of none where there is no secret', () => expect(signatureMatches('0'.repeat(64), 'body', [])).toBe(false));
});
