import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Places that name the version of EventStoreDB that the gateway is tested with. */
const PLACES = {
  'docker-compose.yml': /image: eventstore\/eventstore:(\d+\.\d+\.\d+)-/,
  'docs/deployment.md': /21\.10 or later, tested with (\d+\.\d+\.\d+)\)/,
  'test/support/kurrent-server/main.ts': /setEventStoreServerVersion\('(\d+\.\d+\.\d+)'\)/,
};

it('names one version of EventStoreDB in the deployment, the documentation and the stand-in', () => {
  const versions = Object.entries(PLACES).map(([file, version]) => [
    file,
    version.exec(readFileSync(join(root, file), 'utf8'))?.[1],
  ]);
  expect(versions).toEqual(Object.keys(PLACES).map((file) => [file, versions[0]![1]]));
  expect(versions[0]![1]).toBeDefined();
});
