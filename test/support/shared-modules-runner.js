import circus from 'jest-circus/runner';
import { timeFile } from './file-times.js';

const run = circus.default ?? circus;

/** Environment and runtime of the first file, which all later ones use as well. */
let first = null;

/**
 * Runs a worker's test files in one environment with one module registry. Jest creates both for each file, which would
 * then spend 2.5 s of CPU on loading the gateway's 1,600 modules (ADR-168). A module's state therefore outlives the
 * test file, as in a gateway process.
 *
 * This relies on fields that Jest does not document. A version of Jest that lacks them fails at the second file of a
 * worker.
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

/** Modules of Jest's framework that hold a test file's state. Others, such as `expect`, are kept. */
const HAS_STATE = /\/jest-circus\//;

/** Removes the previous file's state from Jest's framework: hooks, tests and event handlers, and the `jest` object. */
const forgetTestFile = (nextPath) => {
  const { environment, runtime } = first;
  delete environment.global[Symbol.for('EVENT_HANDLERS')];
  const modules = runtime.registries.internalModuleRegistry;
  for (const file of [...modules.keys()]) if (HAS_STATE.test(file)) modules.delete(file);
  runtime.jestGlobals.clearJestObjectCache();
  runtime._testPath = nextPath;
};

export default runInSharedEnvironment;
