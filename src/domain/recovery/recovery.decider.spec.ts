import { fold } from '../../kernel/events.js';
import { isCovered, isLookingUp, openRecovery, recovery, type RecoveryCommand } from './recovery.decider.js';
import type { RecoveryEvent } from './recovery.events.js';

const start = (change: Partial<Extract<RecoveryCommand, { type: 'StartRecovery' }>>): RecoveryCommand => ({
  type: 'StartRecovery',
  recoveryId: 'r1',
  at: 1_000,
  noticedBy: 'start',
  restoredAt: 1_000,
  lostEvents: null,
  from: 500,
  until: 900,
  end: '90',
  setting: null,
  claim: null,
  ...change,
});
const decide = (command: RecoveryCommand, ...before: RecoveryEvent[]) =>
  recovery.decide(command, fold(recovery, before)) as readonly RecoveryEvent[];

const CLAIM = { position: 100n, epoch: 'none' };
const [first] = decide(start({ claim: CLAIM }));

it('starts once for a loss, however many processes notice it, and by which event', () => {
  expect(first).toMatchObject({ type: 'RecoveryStarted', data: { covers: ['none'], end: '90' } });
  expect(decide(start({ claim: { position: 95n, epoch: 'none' } }), first!)).toEqual([]);
  expect(isCovered(fold(recovery, [first!]), { position: 100n, epoch: 'none' })).toBe(true);
});

it('starts again for a loss of events that followed a recovery, also in a log from before that recovery', () => {
  const later = start({ recoveryId: 'r2', end: '120', claim: { position: 200n, epoch: 'r1' } });
  expect(decide(later, first!)).toMatchObject([{ data: { covers: ['r1'] } }]);
  const [older] = decide(start({ recoveryId: 'r3', end: '50', claim: { position: 200n, epoch: 'r1' } }));
  expect(older).toMatchObject({ data: { covers: ['none', 'r1'] } });
  expect(decide(start({ recoveryId: 'r4', claim: { position: 190n, epoch: 'r1' } }), older!)).toEqual([]);
});

it('acts once for each value of RESTORED_AT', () => {
  const [set] = decide(start({ noticedBy: 'setting', setting: '2026-11-02T10:00:00Z' }));
  expect(set).toMatchObject({ data: { noticedBy: 'setting' } });
  expect(decide(start({ setting: '2026-11-02T10:00:00Z' }), set!)).toEqual([]);
  expect(decide(start({ setting: '2026-11-03T10:00:00Z' }), set!)).toHaveLength(1);
  expect(decide(start({}))).toEqual([]);
});

it('is open until everything that waited is marked', () => {
  const mark = { type: 'MarkRecovered', recoveryId: 'r1', at: 2_000, inDoubt: 3 } as const;
  const [marked] = decide(mark, first!);
  expect(openRecovery(fold(recovery, [first!]))).toMatchObject({ recoveryId: 'r1' });
  expect(openRecovery(fold(recovery, [first!, marked!]))).toBeNull();
  expect(decide(mark, first!, marked!)).toEqual([]);
});

it('looks up what is in doubt once for each recovery, also after a crash', () => {
  const lookedUp = { type: 'MarkLookedUp', recoveryId: 'r1', at: 2_000, found: 1 } as const;
  expect(isLookingUp(fold(recovery, []))).toBe(false);
  expect(isLookingUp(fold(recovery, [first!]))).toBe(true);
  const [done] = decide({ ...lookedUp, recoveryId: first!.data.recoveryId }, first!);
  expect(done).toMatchObject({ type: 'RecoveryLookedUp', data: { found: 1 } });
  expect(isLookingUp(fold(recovery, [first!, done!]))).toBe(false);
  expect(decide({ ...lookedUp, recoveryId: first!.data.recoveryId }, first!, done!)).toEqual([]);
  expect(decide({ ...lookedUp, recoveryId: 'other' }, first!)).toEqual([]);
});
