import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { loadSettings, type Settings } from '../../src/config/settings.js';
import { PLATFORMS } from '../../src/platforms/catalogue.js';
import { TEMPORARY } from './postgres.js';

/** A later test run removes this folder. */
const FILE_STORES = join(TEMPORARY, `crosspost-test-run-${process.pid}-uploads`);

/** Names of test databases. One test may reach the same database directly and through a proxy. */
const TEST_DATABASE = /\/test_[0-9a-f]{12}\b/;

/** Adds a `MEDIA_STORE` that processes with the same database share, whatever their `DATA_DIR`. */
export const withFileStore = <Env extends NodeJS.ProcessEnv>(env: Env): Env => {
  const { DATABASE_URL, MEDIA_STORE } = env;
  if (DATABASE_URL === undefined || MEDIA_STORE !== undefined) return env;
  const name = createHash('sha256')
    .update(TEST_DATABASE.exec(DATABASE_URL)?.[0] ?? DATABASE_URL)
    .digest('hex')
    .slice(0, 16);
  return { ...env, MEDIA_STORE: join(FILE_STORES, name) };
};

/** Settings of a gateway under test, for the networks that the program knows. @param env settings by name */
export const loadTestSettings = (env: NodeJS.ProcessEnv): Settings => loadSettings(withFileStore(env), PLATFORMS.all);
