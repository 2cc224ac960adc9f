import { execFileSync, spawnSync } from 'node:child_process';
import type { Log } from '../../src/kernel/log.js';
import { HelperCheck, type HelperReport } from '../../src/media/helper.js';

const ALL = { files: 'ok', network: 'ok', memory: 'ok' };
const REFUSED = /unshare -rn is refused/;
const compiled = new URL('../../dist/media/helper.js', import.meta.url).href;

/** A program that prints the report and the warnings of its own process. */
const PROGRAM = `
  import { HelperCheck } from '${compiled}';
  const warnings = [];
  const check = new HelperCheck({ warn: (fields, text) => warnings.push({ ...fields, text }) });
  await check.run();
  console.log(JSON.stringify({ report: check.report, warnings }));`;

/**
 * Becomes a program that may not create namespaces: as under systemd's RestrictNamespaces= or Docker's default profile.
 */
const WITHOUT_NAMESPACES = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';

const mayCreateNamespaces = spawnSync('unshare', ['-Urn', 'true']).status === 0;
const withNamespaces = mayCreateNamespaces ? it : it.skip;

describe('the isolation of helper processes', () => {
  withNamespaces('is complete where the user may create namespaces', async () => {
    const warned: string[] = [];
    const check = new HelperCheck({ warn: (_: object, text: string) => void warned.push(text) } as unknown as Log);
    expect(check.report).toBeNull();
    await check.run();
    expect(check.report).toEqual(ALL);
    expect(warned).toEqual([]);
  });

  withNamespaces('names the network that helpers keep where the user may not', () => {
    const node = [process.execPath, '--input-type=module', '-e', PROGRAM];
    const printed = execFileSync('unshare', ['-Ur', 'sh', '-c', WITHOUT_NAMESPACES, 'sh', ...node], {
      encoding: 'utf8',
    });
    const { report, warnings } = JSON.parse(printed) as { report: HelperReport; warnings: { missing: string[] }[] };
    expect(report).toEqual({ ...ALL, network: expect.stringMatching(REFUSED) });
    expect(warnings).toEqual([
      { missing: [expect.stringMatching(REFUSED)], text: expect.stringContaining('less isolated') },
    ]);
  });
});
