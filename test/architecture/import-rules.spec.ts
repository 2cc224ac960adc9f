import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

interface Report {
  readonly summary: { readonly violations: readonly { readonly rule: { readonly name: string } }[] };
}

/** Runs dependency-cruiser with the project's rules over a small tree of its own; returns the broken rules. */
const brokenRules = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'import-rules-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await writeFile(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext" } }');
    const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const args = [cruiser, '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json', 'src'];
    const output = await new Promise<string>((done) =>
      execFile(process.execPath, args, { cwd: folder }, (_, out) => done(out)),
    );
    return (JSON.parse(output) as Report).summary.violations.map(({ rule }) => rule.name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const importing = (from: string, to: string) => ({
  [from]: `import { x } from '${to}';\nexport const y = x;\n`,
});
const exporting = (path: string) => ({ [path]: 'export const x = 1;\n' });

describe('the import rules', () => {
  it.each([
    ['domain', 'src/domain/post/post.decider.ts', '../../event-store/port.js', 'src/event-store/port.ts'],
    ['platforms-are-islands', 'src/platforms/vk/send.ts', '../telegram/send.js', 'src/platforms/telegram/send.ts'],
    [
      'projections',
      'src/projections/posts/posts.projection.ts',
      '../../commands/post/accept-post.js',
      'src/commands/post/accept-post.ts',
    ],
    [
      'stand-ins',
      'src/stand-ins/telegram/network.ts',
      '../../platforms/telegram/render.js',
      'src/platforms/telegram/render.ts',
    ],
    [
      'api',
      'src/api/public/webhooks.controller.ts',
      '../../sagas/publish-due-posts/attempt/publication-runner.js',
      'src/sagas/publish-due-posts/attempt/publication-runner.ts',
    ],
    [
      'networks-through-their-descriptors',
      'src/app/modules/platforms.module.ts',
      '../../platforms/vk/render.js',
      'src/platforms/vk/render.ts',
    ],
    ['catalogue-lists-descriptors', 'src/platforms/catalogue.ts', './vk/render.js', 'src/platforms/vk/render.ts'],
    [
      'api',
      'src/api/management/channels/credentials.ts',
      '../../../platforms/catalogue.js',
      'src/platforms/catalogue.ts',
    ],
    ['stand-ins-are-islands', 'src/stand-ins/kit/server.ts', '../vk/groups.js', 'src/stand-ins/vk/groups.ts'],
    [
      'stand-ins-through-their-descriptors',
      'src/app/stand-ins.ts',
      '../stand-ins/vk/vk-stand-in.js',
      'src/stand-ins/vk/vk-stand-in.ts',
    ],
    ['unlisted-folder', 'src/novelty/anything.ts', '../kernel/ids.js', 'src/kernel/ids.ts'],
    ['runtime', 'src/runtime/batcher.ts', '../domain/post/post.events.js', 'src/domain/post/post.events.ts'],
    ['kernel', 'src/kernel/ids.ts', '../runtime/batcher.js', 'src/runtime/batcher.ts'],
    [
      'public-and-management-apart',
      'src/api/public/info.controller.ts',
      '../management/page.js',
      'src/api/management/page.ts',
    ],
  ])('refuse a breach of %s', async (rule, from, specifier, to) => {
    expect(await brokenRules({ ...importing(from, specifier), ...exporting(to) })).toContain(rule);
  });

  it('let a decider import the kernel', async () => {
    const files = {
      ...importing('src/domain/post/post.decider.ts', '../../kernel/ids.js'),
      ...exporting('src/kernel/ids.ts'),
    };
    expect(await brokenRules(files)).toEqual([]);
  });
});
