import { isStoreOutage, StorageFailed, Unavailable } from './port.js';

it('an outage of the store is one that ends by itself, and whose connection logs it', () => {
  expect(isStoreOutage(new Unavailable('read: unavailable'))).toBe(true);
  expect(isStoreOutage(new StorageFailed('53100', 'append: no space left on device'))).toBe(false);
});

it.each(['53100', '53300', '57P01'])('an error %s of the database is none', (code) => {
  expect(isStoreOutage(Object.assign(new Error('refused'), { code, severity: 'FATAL' }))).toBe(false);
});
