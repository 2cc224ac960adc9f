import { PUBLIC_ONLY } from '../../outbound-http/url-rules.js';
import { NO_AUDIENCE } from '../../payload/content-layers.js';
import { parseJsonBody } from '../../validation/json-body.js';
import { checkPayload } from './payload-check.js';

const problemsOf = (body: string) => {
  const read = checkPayload(
    parseJsonBody(Buffer.from(body)),
    { ok: true, key: undefined },
    PUBLIC_ONLY,
    NO_AUDIENCE,
    0,
  );
  return read.ok ? [] : [read.status, ...read.problems.map(({ path, code }) => `${path} ${code}`)];
};

describe('a number that a double cannot represent', () => {
  it('is rejected wherever it would be stored as another number (D-5)', () => {
    expect(problemsOf('{"text":"n","metadata":{"id":9007199254740993}}')).toEqual([400, 'metadata.id number_inexact']);
    expect(problemsOf('{"text":"n","metadata":{"id":1e999}}')).toEqual([400, 'metadata.id number_too_large']);
    expect(problemsOf('{"text":"n","metadata":{"id":"9007199254740993"}}')).toEqual([]);
  });

  it('is reported by the rules of its field, if it has any: a string would not be valid either', () => {
    expect(problemsOf('{"text":"n","ad_pause_minutes":9007199254740993}')).toEqual([
      422,
      'ad_pause_minutes out_of_range',
    ]);
    expect(problemsOf('{"text":9007199254740993}')).toEqual([422, 'text wrong_type']);
    expect(problemsOf('{"text":"n","ad_pause_minutes":9007199254740993,"x":9007199254740993}')).toEqual([
      422,
      'x number_inexact',
      'ad_pause_minutes out_of_range',
    ]);
  });
});
