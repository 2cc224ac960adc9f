import { signCall } from './call.js';

const secrets = {
  accessToken: '-s-84W-s3egarWUsbkq-IWTucuedzTKT8VUXIA.s4Xx8IW7',
  applicationSecret: 'ABC123DEF456GHI789JKL123',
};

describe('signatureOf', () => {
  it('returns the signature of the known example (networks.md §1) for any order of parameters', () => {
    const sig = '232c8eb921951c4dba9b72606f9ddb4c';
    expect(signCall({ application_key: 'ABCDEFGHIGKLMNOPK', format: 'json', method: 'events.get' }, secrets)).toBe(sig);
    expect(signCall({ method: 'events.get', application_key: 'ABCDEFGHIGKLMNOPK', format: 'json' }, secrets)).toBe(sig);
  });

  it('depends on every part', () => {
    const all = [
      signCall({ a: '1', b: 'ё' }, secrets),
      signCall({ a: '1', b: 'е' }, secrets),
      signCall({ a: '1', b: 'ё' }, { ...secrets, accessToken: 'x' }),
      signCall({ a: '1', b: 'ё' }, { ...secrets, applicationSecret: 'x' }),
    ];
    expect(new Set(all).size).toBe(4);
    for (const sig of all) expect(sig).toMatch(/^[0-9a-f]{32}$/);
  });
});
