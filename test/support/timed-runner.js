import circus from 'jest-circus/runner';
import { timeFile } from './file-times.js';

const run = circus.default ?? circus;

/** Runs a test file as Jest does, and notes its times (file-times.js). */
export default (globalConfig, config, environment, runtime, testPath, sendMessage) =>
  timeFile(testPath, () => run(globalConfig, config, environment, runtime, testPath, sendMessage));
