import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const requireAsJest = createRequire(createRequire(import.meta.url).resolve('jest'));
const { default: TestSequencer } = requireAsJest('@jest/test-sequencer');

/** Specs that start processes take the longest, mostly by waiting. */
const STARTS_PROCESSES = /\/test\/(e2e|console)\//;

/** First words of a spec that says why it takes long (docs/testing.md). */
const SAYS_WHY = '// More than 20 s';

/**
 * Runs the slowest specs first, so that no worker is left alone with one at the end. Jest sorts by the times of earlier
 * runs, which a fresh clone does not have, and then by file size, as this does if nothing else is known.
 */
export default class SlowFirstSequencer extends TestSequencer {
  sort(tests) {
    const files = tests.map((test) => {
      const text = readFileSync(test.path, 'utf8');
      return { test, isLong: text.startsWith(SAYS_WHY), starts: STARTS_PROCESSES.test(test.path), size: text.length };
    });
    return files.sort((a, b) => b.isLong - a.isLong || b.starts - a.starts || b.size - a.size).map(({ test }) => test);
  }
}
