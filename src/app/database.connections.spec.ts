import type { Role } from '../config/settings.js';
import { divideConnections } from './database.js';

const divide = (databasePool: number | null, roles: readonly Role[], eventStoreUrl: string | null = null) =>
  divideConnections({ databasePool, roles: new Set(roles), eventStoreUrl });

/** Connections that hold a session: notifications, appends, presence, follower of the log. */
const SESSIONS = { api: 2, worker: 4 };

describe('the connections of a process', () => {
  it('have defaults from the roles', () => {
    expect(divide(null, ['api'])).toEqual({ total: 20, queries: 12, events: 4, projections: 0, health: 2 });
    expect(divide(null, ['worker'])).toEqual({ total: 26, queries: 12, events: 4, projections: 4, health: 2 });
    expect(divide(null, ['api', 'worker', 'tools'])).toEqual(divide(null, ['worker']));
    expect(divide(null, ['worker'], 'kurrentdb://h')).toEqual({
      total: 20,
      queries: 12,
      events: 0,
      projections: 4,
      health: 2,
    });
  });

  it('fit in 6 for the role api or worker alone', () => {
    expect(divide(6, ['api'])).toEqual({ total: 6, queries: 2, events: 1, projections: 0, health: 1 });
    expect(divide(6, ['worker'])).toEqual({ total: 6, queries: 1, events: 1, projections: 0, health: 0 });
    expect(divide(7, ['worker'])).toEqual({ total: 7, queries: 1, events: 1, projections: 1, health: 0 });
  });

  it('add up to DATABASE_POOL, and every pool has one at least', () => {
    for (const role of ['api', 'worker'] as const)
      for (let total = 6; total <= 100; total++) {
        const { queries, events, projections, health } = divide(total, [role]);
        expect(SESSIONS[role] + queries + events + projections + health).toBe(total);
        expect([queries >= 1, events >= 1 && events <= 4, projections <= 4, health <= 2]).toEqual([
          true,
          true,
          true,
          true,
        ]);
      }
  });
});
