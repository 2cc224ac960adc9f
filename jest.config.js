/** Unit specs stand beside the code; everything that needs a process, a database or HTTP stands in test/. */
const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: {
        target: 'es2023',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
      },
      module: { type: 'es6' },
      sourceMaps: 'inline',
    },
  ],
};

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/bench'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['\\.long\\.spec\\.ts$'],
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.js'],
};
