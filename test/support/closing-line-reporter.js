import path from 'node:path';

/**
 * Ends a run with the plain line `N passed, N failed`, which scripts and people can read alike. The lines before it name
 * the tests that passed only when they were repeated.
 */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    const repeated = results.testResults.flatMap(({ testFilePath, testResults }) =>
      testResults
        .filter(({ status, invocations = 1 }) => status === 'passed' && invocations > 1)
        .map(({ fullName }) => `passed the second time: ${path.relative(process.cwd(), testFilePath)}: ${fullName}`),
    );
    // After the summary, which other reporters print.
    process.once('exit', () => process.stdout.write(`\n${[...repeated, line].join('\n')}\n`));
  }
}
