import { setImmediate as turn } from 'node:timers/promises';
import type { DecisionResult } from '../event-store/aggregate-store.js';
import type { DomainEvent } from '../kernel/events.js';
import { reject } from '../kernel/result.js';
import { executeEach } from './pause.js';

const ids = Array.from({ length: 40 }, (_, n) => `tgt_${n}`);
const resultAt = (position: bigint, events: readonly DomainEvent[] = []) =>
  ({ events, aggregate: { position } }) as unknown as DecisionResult<unknown, DomainEvent>;

it('executes on several targets at a time, never on all of many, and keeps their order', async () => {
  let [running, most] = [0, 0];
  const completed = await executeEach(ids, async (id) => {
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    return resultAt(BigInt(id.slice(4)));
  });
  expect(completed.map(({ id }) => id)).toEqual(ids);
  expect(completed.map(({ position }) => position)).toEqual(ids.map((_, n) => BigInt(n)));
  expect(most).toBe(16);
});

it('skips rejections, and says which targets changed', async () => {
  const event = { type: 'ChannelPaused' } as unknown as DomainEvent;
  const completed = await executeEach(['a', 'b', 'c'], async (id) =>
    id === 'b' ? reject('not_found', 'gone') : resultAt(1n, id === 'c' ? [event] : []),
  );
  expect(completed.map(({ id, isChanged }) => [id, isChanged])).toEqual([
    ['a', false],
    ['c', true],
  ]);
});
