/**
 * Runs the event store contract, some integration specs and all of test/e2e on an event store (docs/testing.md), the
 * number of times given by the first argument:
 *
 *     EVENT_STORE_COMMAND='…' npm run test:stores -- 5
 *
 * Without EVENT_STORE_COMMAND, they run on the stand-in. Further arguments are file patterns that select a part of
 * test/e2e.
 */
import { spawnSync } from 'node:child_process';

const [rounds = '1', ...patterns] = process.argv.slice(2);
const EVENT_STORE_COMMAND = process.env.EVENT_STORE_COMMAND ?? 'stand-in';

/** Specs inside Jest that can use a real server: the contract, an import from the other kind of store, rebuilds. */
const INTEGRATION = [
  'test/event-store/kurrentdb',
  'test/history/transfer-between-stores',
  'test/api/management/mended-projection',
  'test/api/management/rebuild',
];

/** A real server needs many resources, so run one file at a time, and at most two concurrent tests in it. */
const E2E = EVENT_STORE_COMMAND === 'stand-in' ? ['--maxWorkers=2'] : ['--runInBand', '--maxConcurrency=2'];

const jest = (...args) => {
  const options = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const { status } = spawnSync(process.execPath, [...options, ...args], {
    stdio: 'inherit',
    env: { ...process.env, EVENT_STORE_COMMAND },
  });
  return status === 0;
};

const failed = [];
for (let round = 1; round <= Number(rounds); round++) {
  console.log(`\n== round ${round} of ${rounds}`);
  const integration = patterns.length > 0 || jest('--runInBand', ...INTEGRATION);
  const e2e = jest(...(patterns.length > 0 ? patterns : ['test/e2e']), ...E2E, '--selectProjects', 'slice', 'rest'); // the last option takes everything that follows
  if (!integration || !e2e) failed.push(round);
}
console.log(failed.length === 0 ? `all ${rounds} rounds passed` : `failed rounds: ${failed.join(', ')} of ${rounds}`);
process.exit(failed.length === 0 ? 0 : 1);
