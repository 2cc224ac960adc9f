import circus from 'jest-circus/runner';
import { timeFile } from './file-times.js';

const run = circus.default ?? circus;

/** Environment and runtime of the first file, which all later ones use as well. */
let first = null;

/**
 * Runs the test files of a worker in one environment with one module registry, where Jest creates both for each file:
 * loading the gateway's 1,600 modules takes 2.5 s of CPU, which each file would pay (ADR-168). So state that a module keeps
 * outlives its test file, as it does in a process of the gateway.
 *
 * This relies on fields that Jest does not document. A version of Jest that lacks them fails at the second file of a worker.
 */
const runInSharedEnvironment = (globalConfig, config, environment, runtime, testPath, sendMessage) => {
  if (first === null) {
    first = { environment, runtime };
    environment.teardown = () => Promise.resolve();
    runtime.teardown = () => undefined;
    runtime.resetModules = () => undefined;
  } else {
    forgetTestFile(testPath);
  }
  const shared = [globalConfig, config, first.environment, first.runtime, testPath, sendMessage];
  return timeFile(testPath, () => run(...shared)); // notes its times
};

/** Modules of Jest's framework with state of a test file. Its others are kept, such as `expect`. */
const HAS_STATE = /\/jest-circus\//;

/** Removes the state of Jest's framework for the file before: its hooks, tests and event handlers, and its `jest` object. */
const forgetTestFile = (nextPath) => {
  const { environment, runtime } = first;
  delete environment.global[Symbol.for('EVENT_HANDLERS')];
  const modules = runtime.registries.internalModuleRegistry;
  for (const file of [...modules.keys()]) if (HAS_STATE.test(file)) modules.delete(file);
  runtime.jestGlobals.clearJestObjectCache();
  runtime._testPath = nextPath;
};

export default runInSharedEnvironment;
