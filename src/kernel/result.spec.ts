import { connect } from 'node:net';
import { reasonOf } from './result.js';

describe('reasonOf', () => {
  it('returns the error’s message', () => {
    expect(reasonOf(new Error('broken'))).toBe('broken');
    expect(reasonOf('broken')).toBe('broken');
    expect(reasonOf(null)).toBe('null');
  });

  it('returns the error’s name if it has no message', () => {
    expect(reasonOf(new RangeError())).toBe('RangeError');
    expect(reasonOf({})).toBe('no reason given');
  });

  it('joins the distinct messages of the tries if several addresses were tried', async () => {
    const tries = ['connect ECONNREFUSED ::1:1', 'connect ECONNREFUSED 127.0.0.1:1'].map((words) => new Error(words));
    expect(reasonOf(new AggregateError(tries))).toBe('connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1');
    expect(reasonOf(new AggregateError([tries[0], tries[0]]))).toBe('connect ECONNREFUSED ::1:1');
  });

  it('is never empty for a connection that Node could not open', async () => {
    const lookup = (_host: string, _options: object, done: (...found: unknown[]) => void): void =>
      done(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]);
    const error = await new Promise((resolve) =>
      connect({ host: 'two.test', port: 1, lookup: lookup as never }).once('error', resolve),
    );
    expect(reasonOf(error)).toMatch(/ECONNREFUSED 127\.0\.0\.1:1; .*ECONNREFUSED 127\.0\.0\.2:1/);
  });
});
