import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../e2e/until.js';
import { type ManagementHarness, OPERATOR_KEY, startHarness } from '../management/management-harness.js';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/examples.md'), 'utf8');

const codeIn = (language: string): string =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code).join('\n');

const isInstalled = (program: string, argument = '--version'): boolean => {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe('docs/examples.md', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness?.stop());

  const run = async (program: string, args: readonly string[]): Promise<string> => {
    const env = { ...process.env, BASE: harness.url, KEY: OPERATOR_KEY };
    const { stdout, stderr } = await promisify(execFile)(program, args, { env });
    expect(stderr).toBe('');
    return stdout;
  };
  const expectPost = (chat: string, text: string): Promise<unknown> =>
    until('the post is in the chat', async () => {
      const posts = await harness.telegram.readLedger({ channel: chat });
      return posts.some((post) => post.text === text);
    });

  it('has every route of the public API, in both languages', async () => {
    const { paths } = (await (await fetch(`${harness.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const routes = Object.entries(paths)
      .filter(([path]) => path.startsWith('/v1/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(routes.length).toBeGreaterThan(5);
    for (const route of routes) {
      const section = PAGE.split(`\n## ${route}\n`)[1]?.split('\n## ')[0] ?? '';
      expect([route, /^```sh$/m.test(section), /^```python$/m.test(section)]).toEqual([route, true, true]);
    }
  });

  (isInstalled('curl') && isInstalled('openssl', 'version') ? it : it.skip)('works as written, with curl', async () => {
    const output = await run('bash', ['--norc', '-euo', 'pipefail', '-c', codeIn('sh')]);
    expect(output).toContain('"would_create_post":true');
    await expectPost('@news_by_curl', 'Good morning from curl');
  });

  (isInstalled('python3') ? it : it.skip)('works as written, with Python', async () => {
    const output = await run('python3', ['-c', codeIn('python')]);
    expect(output).toContain('endpoint:ep_');
    await expectPost('@news_by_python', 'Good morning from Python');
  });
});
