import { withTimeLimit } from './sleep.js';

const createError = () => new Error('too late');

describe('withTimeLimit', () => {
  it('returns the outcome of a promise that settles in time', async () => {
    await expect(withTimeLimit(Promise.resolve('done'), 3_600_000, createError)).resolves.toBe('done');
    await expect(withTimeLimit(Promise.reject(new Error('broken')), 3_600_000, createError)).rejects.toThrow('broken');
  });

  it('rejects with the given error when the promise takes longer', async () => {
    await expect(withTimeLimit(new Promise(() => undefined), 1, createError)).rejects.toThrow('too late');
  });

  it('drops a failure that comes after the limit', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise((_, reject) => (fail = reject));
    await expect(withTimeLimit(failing, 1, createError)).rejects.toThrow('too late');
    fail(new Error('broken'));
    await new Promise(setImmediate);
  });
});
