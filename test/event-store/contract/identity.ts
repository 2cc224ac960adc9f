import { randomUUID } from 'node:crypto';
import { until } from '../../e2e/until.js';
import { newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';

/** Identity of a store, by which a gateway recognises it (ADR-124). */
export const describeIdentity = (context: ContractContext): void => {
  describe('identity', () => {
    it('is created once by several clients, and each of them reads it', async () => {
      const other = await context.openAnother();
      const [first, second] = await Promise.all([
        context.store.createIdentity(randomUUID()),
        other.createIdentity(randomUUID()),
      ]);
      expect(second).toBe(first);
      expect(await context.store.createIdentity(randomUUID())).toBe(first);
      expect((await other.readIdentity()).id).toBe(first);
    });

    it('is not an event of the log', async () => {
      const far = await context.openFar();
      const before = await far.readIdentity();
      expect(before.id).toBeNull();
      const head = await far.readHead();
      await far.createIdentity(randomUUID());
      expect(await far.readHead()).toBe(head);
    });

    it('includes the end of the log, which no deletion moves back', async () => {
      const stream = newStream();
      const { position } = await context.store.append(stream, 'noStream', newEvents(3));
      expect((await context.store.readIdentity()).end).toBeGreaterThanOrEqual(position);
      await context.store.deleteStream(stream);
      expect((await context.store.readIdentity()).end).toBeGreaterThanOrEqual(position);
    });

    it('must be checked again after a lost connection', async () => {
      const fragile = await context.openFragile();
      let changes = 0;
      fragile.onConnectionLoss(() => (changes += 1));
      await fragile.append(newStream(), 'noStream', newEvents(1));
      await until('the lost connection is noticed', async () => {
        if (changes === 0) await context.harness.dropSubscribers();
        return changes > 0;
      });
    });
  });
};
