import { fold } from '../../kernel/events.js';
import { archive, type ArchiveCommand } from './archive.decider.js';
import type { HistoryArchived } from './archive.events.js';

const name = (file: string): ArchiveCommand => ({
  type: 'NameFile',
  month: '2026-01',
  file,
  sha256: 'ab',
  firstPosition: '1',
  lastPosition: '7',
  events: 7,
});
const decide = (command: ArchiveCommand, ...before: HistoryArchived[]) =>
  archive.decide(command, fold(archive, before)) as readonly HistoryArchived[];

it('names each file once', () => {
  const [named] = decide(name('archive/1'));
  const { type: _, ...data } = name('archive/1');
  expect(named).toEqual({ type: 'HistoryArchived', data });
  expect(decide(name('archive/1'), named!)).toEqual([]);
  expect(decide(name('archive/2'), named!)).toHaveLength(1);
});
