import { PUBLIC_ONLY } from '../../outbound-http/address-policy.js';
import { parseJsonBody } from '../../validation/json-body.js';
import { checkPayload } from './read-payload.js';

const toldOf = (body: string) => {
  const read = checkPayload(parseJsonBody(Buffer.from(body)), { ok: true, key: undefined }, PUBLIC_ONLY);
  return read.ok ? [] : [read.status, ...read.problems.map(({ path, code }) => `${path} ${code}`)];
};

describe('a number that no double holds', () => {
  it('is refused wherever it would be kept as another (D-5)', () => {
    expect(toldOf('{"text":"n","metadata":{"id":9007199254740993}}')).toEqual([400, 'metadata.id number_inexact']);
    expect(toldOf('{"text":"n","metadata":{"id":1e999}}')).toEqual([400, 'metadata.id number_too_large']);
    expect(toldOf('{"text":"n","metadata":{"id":"9007199254740993"}}')).toEqual([]);
  });

  it('is told by the rules of a field that has some: as a string it would be no better', () => {
    expect(toldOf('{"text":"n","ad_pause_minutes":9007199254740993}')).toEqual([422, 'ad_pause_minutes out_of_range']);
    expect(toldOf('{"text":9007199254740993}')).toEqual([422, 'text wrong_type']);
    expect(toldOf('{"text":"n","ad_pause_minutes":9007199254740993,"x":9007199254740993}')).toEqual([
      422,
      'x number_inexact',
      'ad_pause_minutes out_of_range',
    ]);
  });
});
