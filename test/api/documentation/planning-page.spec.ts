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

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/planning-posts.md'), 'utf8');

const codeIn = (language: string): string =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code).join('\n');

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

describe('docs/planning-posts.md', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start();
  });
  afterAll(() => gateway?.stop());

  (canRun() ? it : it.skip)('works as written', async () => {
    const OWNER = await gateway.createOwner();
    const channel: TestChannel = await gateway.createChannel(OWNER);
    const PROJECT = await gateway.createProject(OWNER, [channel]);
    const endpoint = await gateway.createEndpoint(OWNER, [PROJECT]);
    const URL = `${gateway.url}/v1/webhooks/${endpoint.slug}`;
    const more = { BASE: gateway.url, KEY: OPERATOR_KEY, URL, TOKEN: endpoint.token, OWNER, PROJECT };
    const options = { env: { ...process.env, ...more } };
    const script = ['--norc', '-euo', 'pipefail', '-c', codeIn('sh')];
    const { stdout, stderr } = await promisify(execFile)('bash', script, options);
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
    const code = codeIn('js');
    const printed = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' });
    expect(printed.trim()).toBe(/\/\/ (2027\S+)$/m.exec(code)?.[1]);
    expect(printed.trim()).toBe('2027-03-28T09:00:00+02:00');
  });
});
