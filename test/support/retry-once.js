/**
 * Repeats a failed test once, at once, and prints its first errors: specs wait for processes, whose order the machine
 * decides. The closing line names each test that passed the second time (docs/testing.md). Long runs repeat nothing.
 */
if (!process.env.TEST_LONG) import.meta.jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
