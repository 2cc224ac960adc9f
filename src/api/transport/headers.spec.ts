import { createHash, createHmac } from 'node:crypto';
import { isAddressAllowed, isSignatureValid, isTimestampAccepted, isTokenValid, readBearerToken } from './headers.js';

const T = Date.UTC(2026, 2, 14, 12);
const seconds = (offset: number): string => String(T / 1_000 + offset);

describe('isTimestampAccepted (publish-api.md: Authentication, 4)', () => {
  it.each([
    ['now', seconds(0), true],
    ['five minutes ago', seconds(-300), true],
    ['five minutes ahead', seconds(300), true],
    ['five minutes and a second ago', seconds(-301), false],
    ['five minutes and a second ahead', seconds(301), false],
    ['in milliseconds', String(T), false],
    ['negative', '-1', false],
    ['with a fraction', `${seconds(0)}.5`, false],
    ['as a float', '1.7e9', false],
    ['empty', '', false],
    ['twice', `${seconds(0)}, ${seconds(0)}`, false],
    ['missing', undefined, false],
  ])('%s', (_, header, accepted) => {
    // The result is the same at every millisecond of the second.
    for (const ms of [0, 1, 999]) expect(isTimestampAccepted(header, T + ms)).toBe(accepted);
  });
});

describe('readBearerToken and isTokenValid (publish-api.md: Authentication, 1)', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc ', 'abc'],
    ['Bearer a b', ''],
    ['Bearerabc', ''],
    ['Basic abc', ''],
    ['Bearer ', ''],
    ['', ''],
    [undefined, ''],
  ])('%j yields %j', (header, token) => expect(readBearerToken(header)).toBe(token));

  it('matches only its own hash; an empty token matches none', () => {
    const hash = createHash('sha256').update('abc').digest('hex');
    expect(isTokenValid('abc', hash)).toBe(true);
    expect(isTokenValid('abd', hash)).toBe(false);
    expect(isTokenValid('', '0'.repeat(64))).toBe(false);
  });
});

describe('isAddressAllowed (publish-api.md: Authentication, 7)', () => {
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
  ])('%s in %j: %j', (ip, allowlist, allowed) => expect(isAddressAllowed(ip, allowlist)).toBe(allowed));
});

describe('isSignatureValid (publish-api.md: Authentication, 5)', () => {
  const signature = createHmac('sha256', 'new').update('body').digest('hex');

  it.each([
    ['with its prefix', `sha256=${signature}`, true],
    ['without a prefix', signature, true],
    ['in upper case', signature.toUpperCase(), true],
    ['with a prefix in upper case', `SHA256=${signature}`, true],
    ['too short', signature.slice(1), false],
    ['too long', `${signature}0`, false],
    ['with a character that is not hexadecimal', `g${signature.slice(1)}`, false],
    ['of another algorithm', `sha1=${signature}`, false],
    ['of zeros', '0'.repeat(64), false],
    ['empty', '', false],
    ['missing', undefined, false],
  ])('%s', (_, header, matches) => expect(isSignatureValid(header, ['bo', 'dy'], ['old', 'new'])).toBe(matches));

  it('compares the exact bytes', () => expect(isSignatureValid(signature, ['Body'], ['new'])).toBe(false));

  it('is false without a secret', () => expect(isSignatureValid('0'.repeat(64), ['body'], [])).toBe(false));
});
