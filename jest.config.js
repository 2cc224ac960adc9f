import { swcOptions } from './scripts/swc-options.js';

/**
 * Four projects (docs/testing.md). Unit specs are beside the code and use neither a process, a database nor HTTP; integration
 * specs run parts of the gateway inside Jest; those of the end-to-end tests start the compiled program. `npm test` runs the
 * first three, `npm run test:e2e` the rest.
 */
const project = (displayName, options) => ({
  displayName,
  id: 'crosspost', // one cache of compiled modules for all projects: their options are the same
  testEnvironment: '<rootDir>/test/support/plain-environment.js',
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
  testTimeout: 900_000,
  ...options,
});

/**
 * The end-to-end specs that `npm test` runs, which cover each promise to users once: a post appears on all networks, a
 * kill loses and duplicates nothing, a retry gets the same answer, bad input gets a clear answer, outages and shutdowns
 * lose nothing, a read model is rebuilt, archived history answers as before, secrets are erased, webhooks arrive, and
 * the command line and the console do their tasks.
 */
const SLICE = [
  'console/sign-in',
  'console/tasks',
  'e2e/archive-kills',
  'e2e/bad-input',
  'e2e/command-line',
  'e2e/crash',
  'e2e/deletion',
  'e2e/demo',
  'e2e/idempotency',
  'e2e/rebuild',
  'e2e/shutdown',
  'e2e/walk-through',
  'e2e/walls',
  'e2e/webhook-outage',
];

/** Integration specs that take as long as end-to-end tests: matrices of faults, floods, large data, and several processes. */
const LONG_INTEGRATION = [
  'api/public/gate/processes',
  'api/public/gate/unauthorized-flood',
  'api/transport/heavy-bodies',
  'event-store/kurrentdb/faults',
  'history/export-pages',
  'media/probe',
  'projections/long-snapshot',
  'sagas/publish-due-posts/crash-matrix',
  'sagas/publish-due-posts/fault-matrix',
  'sagas/publish-due-posts/pace-of-others',
  'sagas/publish-due-posts/shares',
  'secrets/rotation',
];

const filesOf = (names) => names.map((name) => `<rootDir>/test/${name}.spec.ts`);
const END_TO_END = ['<rootDir>/test/e2e/**/*.spec.ts', '<rootDir>/test/console/**/*.spec.ts'];

/** Options of the projects whose specs use PostgreSQL. */
const WITH_POSTGRES = {
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
  testRunner: '<rootDir>/test/support/shared-modules-runner.js',
  roots: ['<rootDir>/test'],
};

/** @type {import('jest').Config} */
export default {
  // On a slow machine, parts with limits of their own run out of time beside more workers.
  maxWorkers: process.env.CI ? 2 : 3,
  projects: [
    project('unit', {
      roots: ['src', 'stand-ins', 'console/src', 'eslint-rules', 'bench'].map((folder) => `<rootDir>/${folder}`),
    }),
    project('integration', {
      ...WITH_POSTGRES,
      testPathIgnorePatterns: ['<rootDir>/test/e2e/', '<rootDir>/test/console/', ...filesOf(LONG_INTEGRATION)],
    }),
    project('slice', { ...WITH_POSTGRES, testMatch: filesOf(SLICE) }),
    project('rest', {
      ...WITH_POSTGRES,
      testMatch: [...END_TO_END, ...filesOf(LONG_INTEGRATION)],
      testPathIgnorePatterns: filesOf(SLICE),
    }),
  ],
  testTimeout: 900_000,
  testSequencer: '<rootDir>/test/support/slow-first-sequencer.js',
  // For tests that run side by side in one file, because they wait for the same seconds.
  maxConcurrency: 5,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
};
