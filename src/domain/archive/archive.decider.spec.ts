import { fold } from '../../kernel/events.js';
import { archive, type ArchiveCommand } from './archive.decider.js';
import type { ArchiveEvent } from './archive.events.js';

const name = (file: string) => ({
  type: 'NameFile' as const,
  month: '2026-01',
  file,
  sha256: 'ab',
  firstPosition: '1',
  lastPosition: '7',
  events: 7,
});
const decide = (command: ArchiveCommand, ...before: ArchiveEvent[]) =>
  archive.decide(command, fold(archive, before)) as readonly ArchiveEvent[];

it('names each file once', () => {
  const [named] = decide(name('archive/1'));
  const { type: _, ...data } = name('archive/1');
  expect(named).toEqual({ type: 'HistoryArchived', data });
  expect(decide(name('archive/1'), named!)).toEqual([]);
  expect(decide(name('archive/2'), named!)).toHaveLength(1);
});

it('moves the horizon forwards only', () => {
  const move = (before: number) => ({ type: 'MoveHorizon' as const, before, position: '9' });
  const [moved] = decide(move(20));
  expect(moved).toEqual({ type: 'HorizonMoved', data: { before: 20, position: '9' } });
  expect(decide(move(20), moved!)).toEqual([]);
  expect(decide(move(10), moved!)).toEqual([]);
  expect(decide(move(30), moved!)).toHaveLength(1);
});
