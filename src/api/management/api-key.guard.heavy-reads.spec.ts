import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom, Subject } from 'rxjs';
import type { KeyRow } from '../../projections/discovery/discovery.tables.js';
import { type Caller, HeavyReadTurn, rememberCaller } from './api-key.guard.js';

/** A read whose handler answers when `answer` is completed. */
class Read {
  isBegun = false;
  isAnswered = false;
  readonly answer = new Subject<string>();
  readonly socket = { destroyed: false };
  readonly done: Promise<unknown>;

  constructor(caller: Caller) {
    const request = { raw: { socket: this.socket } };
    rememberCaller(request as never, caller);
    const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
    const handle = () => {
      this.isBegun = true;
      return this.answer;
    };
    this.done = new HeavyReadTurn()
      .intercept(context, { handle })
      .then((answered) => lastValueFrom(answered, { defaultValue: 'nothing' }))
      .finally(() => (this.isAnswered = true));
  }

  finish(text: string): Promise<unknown> {
    this.answer.next(text);
    this.answer.complete();
    return this.done;
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const owner = (ownerId: string): Caller => ({ kind: 'owner', ownerId, key: {} as KeyRow });

it("lets an owner's reads wait for its own, and for no other's (D-68)", async () => {
  const held = Array.from({ length: 4 }, () => new Read(owner('own_1')));
  const other = new Read(owner('own_2'));
  const operator = new Read({ kind: 'operator' });
  await settle();
  expect(held.map(({ isBegun }) => isBegun)).toEqual([true, true, false, false]);
  expect(await other.finish('other')).toBe('other');
  expect(await operator.finish('operator')).toBe('operator');
  expect(held.some(({ isAnswered }) => isAnswered)).toBe(false);

  expect(await held[1]!.finish('second')).toBe('second');
  await settle();
  expect(held.map(({ isBegun }) => isBegun)).toEqual([true, true, true, false]);
  // The next read's client disconnects while it waits: nothing is read for it, and its turn passes to the next one.
  held[3]!.socket.destroyed = true;
  const last = new Read(owner('own_1'));
  expect(await held[0]!.finish('first')).toBe('first');
  expect(await held[3]!.done).toBe('nothing');
  await settle();
  expect([held[3]!.isBegun, last.isBegun]).toEqual([false, true]);
  await Promise.all([held[2]!.finish('third'), last.finish('last')]);
});

it('passes the turn of a read that fails on', async () => {
  const failing = [new Read(owner('own_3')), new Read(owner('own_3'))];
  const next = new Read(owner('own_3'));
  await settle();
  failing[0]!.answer.error(new Error('broken'));
  await expect(failing[0]!.done).rejects.toThrow('broken');
  await settle();
  expect(next.isBegun).toBe(true);
  await Promise.all([failing[1]!.finish(''), next.finish('')]);
});
