import { appendFileSync, readFileSync } from 'node:fs';

/**
 * Ends a run with the plain line `N passed, N failed`, which both scripts and people can read. Runs with the same file
 * in TEST_TOTALS are parts of one run: each adds its numbers there and prints the sums.
 */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const numbers = [
      results.numPassedTests,
      results.numFailedTests + results.numRuntimeErrorTestSuites,
      results.numPendingTests + results.numTodoTests,
    ];
    const [passed, failed, skipped] = addToTotals(numbers);
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    // After the summary, which other reporters print.
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
}

const addToTotals = (numbers) => {
  const file = process.env.TEST_TOTALS;
  if (!file) return numbers;
  appendFileSync(file, `${numbers.join(' ')}\n`);
  const runs = readFileSync(file, 'utf8').trim().split('\n');
  return numbers.map((_, i) => runs.reduce((sum, run) => sum + Number(run.split(' ')[i]), 0));
};
