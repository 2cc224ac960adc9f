import { WrongKeys } from './api-key.guard.js';

describe('wrong management keys (D-55)', () => {
  it('lock an address out for more than 100 in a sliding minute, and no other address', () => {
    let now = 0;
    const wrongKeys = new WrongKeys(() => now);
    for (let n = 0; n < 100; n++) {
      wrongKeys.add('192.0.2.1');
      now += 100;
    }
    expect(wrongKeys.retryAfterSeconds('192.0.2.1')).toBe(0);
    wrongKeys.add('192.0.2.1');
    expect(wrongKeys.retryAfterSeconds('192.0.2.1')).toBe(50);
    expect(wrongKeys.retryAfterSeconds('192.0.2.2')).toBe(0);
    now = 60_000; // the first is a minute old: 100 are left
    expect(wrongKeys.retryAfterSeconds('192.0.2.1')).toBe(0);
    wrongKeys.add('192.0.2.1');
    expect(wrongKeys.retryAfterSeconds('192.0.2.1')).toBe(1);
  });

  it('are remembered for a bounded number of addresses', () => {
    const wrongKeys = new WrongKeys(() => 0);
    for (let n = 0; n < 101; n++) wrongKeys.add('192.0.2.1');
    for (let n = 0; n < 10_000; n++) wrongKeys.add(`2001:db8::${n.toString(16)}`);
    expect(wrongKeys.retryAfterSeconds('192.0.2.1')).toBe(0);
  });
});
