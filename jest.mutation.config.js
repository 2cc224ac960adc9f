import config from './jest.config.js';

/** Jest's configuration for mutation tests: the specs that need neither a database nor the built program. */
const [unit] = config.projects;
export default {
  ...unit,
  displayName: 'mutation',
  testEnvironment: 'node', // Stryker wraps it
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: [
    '<rootDir>/src/{api,domain,payload,secrets,validation}/**/*.spec.ts',
    '<rootDir>/test/{commands,domain}/**/*.spec.ts',
    '<rootDir>/test/event-store/aggregate-store.spec.ts',
  ],
};
