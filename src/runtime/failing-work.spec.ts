import { FailingWork } from './failing-work.js';

const RETRY_MS = 2_000;

const failEvery = (work: FailingWork, ms: number, times: number): number => {
  for (let i = 0; i < times; i++) work.recordFailure('sweep', `error ${i + 1}`, RETRY_MS, i * ms);
  return (times - 1) * ms;
};

it('lists work that has failed several times over ten seconds, with its latest error', () => {
  const work = new FailingWork();
  expect(work.list(failEvery(work, 4_000, 3))).toEqual([]);
  work.recordFailure('sweep', 'error 4', RETRY_MS, 12_000);
  expect(work.list(12_000)).toEqual([{ name: 'sweep', reason: 'error 4', failures: 4, seconds: 12 }]);
});

it('does not list work that failed often within a moment, or twice in a long time', () => {
  const moment = new FailingWork();
  expect(moment.list(failEvery(moment, 10, 100))).toEqual([]);
  const rare = new FailingWork();
  expect(rare.list(failEvery(rare, 200_000, 2))).toEqual([]);
});

it('lists it no longer once it has succeeded, or has run on without failing', () => {
  const succeeded = new FailingWork();
  const at = failEvery(succeeded, 5_000, 4);
  expect(succeeded.list(at)).toHaveLength(1);
  succeeded.recordSuccess('sweep');
  expect(succeeded.list(at)).toEqual([]);

  const running = new FailingWork();
  failEvery(running, 5_000, 4);
  expect(running.list(at + RETRY_MS + 14_000)).toHaveLength(1);
  expect(running.list(at + RETRY_MS + 15_000)).toEqual([]);
});

it('counts failures in a row although each attempt takes a minute to fail', () => {
  const work = new FailingWork();
  expect(work.list(failEvery(work, 60_000, 5))).toEqual([
    { name: 'sweep', reason: 'error 5', failures: 5, seconds: 240 },
  ]);
});
