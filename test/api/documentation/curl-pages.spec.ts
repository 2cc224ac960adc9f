import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OPERATOR_KEY, type TestChannel, TestGateway } from '../public/gateway.js';

interface ListedPost {
  readonly excerpt: string;
  readonly approval: { readonly state: string } | null;
  readonly publications: readonly { readonly state: string }[];
}

const DOCS = join(import.meta.dirname, '../../../docs');
/** Time after which a page's commands are ended, in ms: they wait for what they describe. */
const PATIENCE_MS = 120_000;

const codeIn = (page: string, language: string): string =>
  [...readFileSync(join(DOCS, page), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))]
    .map(([, code]) => code)
    .join('\n');

/** True if the page's commands run here: it uses curl, and the `date` of GNU. */
const canRun = (): boolean => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    execFileSync('date', ['-u', '-d', '+1 days'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(() => gateway?.stop());

/** Runs the commands of a page. */
const run = (page: string, more: Readonly<Record<string, string>>) => {
  const env = { ...process.env, BASE: gateway.url, KEY: OPERATOR_KEY, ...more };
  const script = ['--norc', '-euo', 'pipefail', '-c', codeIn(page, 'sh')];
  return promisify(execFile)('bash', script, { env, timeout: PATIENCE_MS });
};

describe('docs/planning-posts.md', () => {
  (canRun() ? it : it.skip)('works as written', async () => {
    const OWNER = await gateway.createOwner();
    const channel: TestChannel = await gateway.createChannel(OWNER);
    const PROJECT = await gateway.createProject(OWNER, [channel]);
    const endpoint = await gateway.createEndpoint(OWNER, [PROJECT]);
    const URL = `${gateway.url}/v1/webhooks/${endpoint.slug}`;
    const { stdout, stderr } = await run('planning-posts.md', { URL, TOKEN: endpoint.token, OWNER, PROJECT });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/"revision":3,"queued_targets":1\}.*"cancelled":1\b/s);
    await gateway.waitForText(channel.chatId, 'New: boots for the rain');

    const { items } = await gateway.manage('GET', `/posts?owner_id=${OWNER}`);
    const found = Object.fromEntries(
      (items as readonly ListedPost[]).map(({ excerpt, approval, publications }) => [
        excerpt,
        [publications[0]!.state, approval?.state ?? null],
      ]),
    );
    expect(Object.keys(found)).toHaveLength(4);
    expect(found).toMatchObject({
      'The sale begins': ['planned', null],
      'Open on Sunday from ten': ['dismissed', 'pending'],
      'Closed on Sunday': ['dismissed', 'rejected'],
    });
    expect(await gateway.readWall(channel.chatId)).toEqual(['New: boots for the rain']);
  });

  it('computes the offset of a day as it says', () => {
    const code = codeIn('planning-posts.md', 'js');
    const printed = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' });
    expect(printed.trim()).toBe(/\/\/ (2027\S+)$/m.exec(code)?.[1]);
    expect(printed.trim()).toBe('2027-03-28T09:00:00+02:00');
  });
});

describe('docs/after-publishing.md', () => {
  (canRun() ? it : it.skip)('works as written', async () => {
    const owner = await gateway.createOwner();
    const channel = await gateway.createChannel(owner);
    const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
    const { id: ENDPOINT, slug, token: TOKEN } = endpoint;
    const URL = `${gateway.url}/v1/webhooks/${slug}`;
    const { stdout } = await run('after-publishing.md', { URL, TOKEN, ENDPOINT, CHANNEL: channel.id });
    expect(stdout.match(/"withdrawing":1/g)).toHaveLength(2);
    expect(stdout).toMatch(/"code":"changes_not_allowed".* \(403 changes_not_allowed\)\s*$/s);
    const { items } = await gateway.manage('GET', `/posts?owner_id=${owner}`);
    const posts = items as readonly ListedPost[];
    expect(posts.map(({ publications }) => publications[0]!.state)).toEqual(['withdrawn', 'withdrawn']);
  });
});
