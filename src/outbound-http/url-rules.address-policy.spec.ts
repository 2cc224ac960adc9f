import { createAddressPolicy, PUBLIC_ONLY } from './url-rules.js';

describe('createAddressPolicy (security.md: Fetching media safely)', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2001:4860:4860::8888',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
  ])('allows %s', (address) => expect(PUBLIC_ONLY.allows(address)).toBe(true));

  it.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.255',
      '169.254.169.254',
      '172.16.0.1',
    ],
    ...['172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.0.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1'],
    ...['::ffff:7f00:1', '64:ff9b::7f00:1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '4000::1'],
    ...['fc00::1', 'fd12::1', 'fe80::1', 'fec0::1', 'ff02::1', '', 'localhost', 'example.org', '1.2.3.4/8'],
  ])('refuses %s', (address) => expect(PUBLIC_ONLY.allows(address)).toBe(false));

  it('allows the given private addresses and no others', () => {
    const policy = createAddressPolicy(['127.0.0.0/8', '::1/128', 'fd00::/8']);
    expect(['127.0.0.1', '::ffff:127.9.9.9', '::1', 'fd12::1', '8.8.8.8'].filter((a) => !policy.allows(a))).toEqual([]);
    expect(['10.0.0.1', '128.0.0.1', '::2', 'fc00::1', '0.0.0.0'].filter((a) => policy.allows(a))).toEqual([
      '128.0.0.1',
    ]);
    expect([policy.allowsPrivate, PUBLIC_ONLY.allowsPrivate]).toEqual([true, false]);
  });
});
