import { swcOptions } from './scripts/swc-options.js';

/**
 * Three projects (docs/testing.md). Unit specs are beside the code and use neither a process, a database nor HTTP;
 * integration specs run parts of the gateway inside Jest; e2e specs start the compiled program.
 */
const project = (displayName, options) => ({
  displayName,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        ...swcOptions,
        sourceMaps: 'inline',
      },
    ],
  },
  testMatch: ['**/*.spec.ts'],
  testTimeout: 300_000,
  ...options,
});

/** @type {import('jest').Config} */
export default {
  projects: [
    project('unit', { roots: ['<rootDir>/src', '<rootDir>/console/src', '<rootDir>/eslint-rules', '<rootDir>/bench'] }),
    project('integration', {
      setupFilesAfterEnv: ['<rootDir>/test/support/retry-once.js'],
      testRunner: '<rootDir>/test/support/shared-modules-runner.js',
      roots: ['<rootDir>/test'],
      testPathIgnorePatterns: ['<rootDir>/test/e2e/', '<rootDir>/test/console/'],
    }),
    project('e2e', {
      setupFilesAfterEnv: ['<rootDir>/test/support/retry-once.js'],
      roots: ['<rootDir>/test/e2e', '<rootDir>/test/console'],
    }),
  ],
  testTimeout: 300_000,
  // Of tests that run side by side in one file, because they wait for the same seconds.
  maxConcurrency: 5,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
};
