import { SharedResult } from './shared-result.js';

interface Pending {
  readonly resolve: (value: number) => void;
  readonly reject: (error: Error) => void;
}

/** A call whose results the test provides. */
class ControlledCall {
  readonly pending: Pending[] = [];
  started = 0;
  readonly run = (): Promise<number> => {
    this.started += 1;
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  };
}

describe('a shared result', () => {
  let now = 0;
  let call: ControlledCall;
  let shared: SharedResult<number>;
  beforeEach(() => {
    now = 1_000;
    call = new ControlledCall();
    shared = new SharedResult(call.run, 100, () => now);
  });

  it('is that of one call for all that ask while it runs, however long that takes', async () => {
    const first = shared.get();
    now += 60_000;
    const all = [first, ...Array.from({ length: 30 }, () => shared.get())];
    call.pending[0]!.resolve(7);
    expect(await Promise.all(all)).toEqual(all.map(() => 7));
    expect(call.started).toBe(1);
  });

  it('is kept for the given time after the call has ended, and then asked for again', async () => {
    const first = shared.get();
    now += 50;
    call.pending[0]!.resolve(1);
    await first;
    now += 99;
    expect(await shared.get()).toBe(1);
    now += 1;
    const second = shared.get();
    call.pending[1]!.resolve(2);
    expect(await second).toBe(2);
  });

  it('is not kept if the call fails: those that waited see the error, and the next one asks again', async () => {
    const waiting = [shared.get(), shared.get()];
    call.pending[0]!.reject(new Error('down'));
    for (const each of waiting) await expect(each).rejects.toThrow('down');
    const next = shared.get();
    call.pending[1]!.resolve(3);
    expect(await next).toBe(3);
  });

  it('of a call that fails without waiting is an error as well', async () => {
    const failing = new SharedResult<number>(() => Promise.reject(new Error('at once')), 100);
    await expect(failing.get()).rejects.toThrow('at once');
    await expect(failing.get()).rejects.toThrow('at once');
  });
});
