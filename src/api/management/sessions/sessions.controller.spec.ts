import { OneTimeCode } from './sessions.controller.js';

const session = { key: 'service_owner_key', owner: { id: 'own_1', name: 'Demo' } };
let now = 0;
let codes: OneTimeCode;
beforeEach(() => {
  now = 1_000;
  codes = new OneTimeCode(() => now);
});

it('signs in once', () => {
  const code = codes.issue(session);
  expect(code).toMatch(/^[\w-]{32}$/);
  expect(codes.redeem(code)).toEqual(session);
  expect(codes.redeem(code)).toBeNull();
});

it('is valid for ten minutes', () => {
  const code = codes.issue(session);
  now += 599_999;
  expect(codes.redeem(code)).toEqual(session);
  const late = codes.issue(session);
  now += 600_000;
  expect(codes.redeem(late)).toBeNull();
});

it('is not used up by a wrong code, and ends with the next one', () => {
  expect(codes.redeem('')).toBeNull();
  const code = codes.issue(session);
  expect(codes.redeem(`${code}x`)).toBeNull();
  const next = codes.issue(session);
  expect(codes.redeem(code)).toBeNull();
  expect(codes.redeem(next)).toEqual(session);
});
