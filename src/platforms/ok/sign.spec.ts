import { signatureOf } from './sign.js';

const secrets = {
  accessToken: '-s-84W-s3egarWUsbkq-IWTucuedzTKT8VUXIA.s4Xx8IW7',
  applicationSecret: 'ABC123DEF456GHI789JKL123',
};

describe('signatureOf', () => {
  it('makes the signature of the known example (networks.md §1), whatever the order', () => {
    const sig = '232c8eb921951c4dba9b72606f9ddb4c';
    expect(signatureOf({ application_key: 'ABCDEFGHIGKLMNOPK', format: 'json', method: 'events.get' }, secrets)).toBe(
      sig,
    );
    expect(signatureOf({ method: 'events.get', application_key: 'ABCDEFGHIGKLMNOPK', format: 'json' }, secrets)).toBe(
      sig,
    );
  });

  it('changes with every part', () => {
    const all = [
      signatureOf({ a: '1', b: 'ё' }, secrets),
      signatureOf({ a: '1', b: 'е' }, secrets),
      signatureOf({ a: '1', b: 'ё' }, { ...secrets, accessToken: 'x' }),
      signatureOf({ a: '1', b: 'ё' }, { ...secrets, applicationSecret: 'x' }),
    ];
    expect(new Set(all).size).toBe(4);
    for (const sig of all) expect(sig).toMatch(/^[0-9a-f]{32}$/);
  });
});
