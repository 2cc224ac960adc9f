import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

/** Runs dependency-cruiser with the project's rules over a small separate tree; returns the violations. */
const findViolations = async (files: ReadonlyMap<string, string>): Promise<readonly Violation[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'import-rules-'));
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await writeFile(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext" } }');
    const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const args = [
      cruiser,
      '--config',
      join(root, '.dependency-cruiser.cjs'),
      '--output-type',
      'json',
      'src',
      'stand-ins',
      'clients',
    ];
    const output = await new Promise<string>((done) =>
      execFile(process.execPath, args, { cwd: folder }, (_, out) => done(out)),
    );
    return (JSON.parse(output) as { summary: { violations: readonly Violation[] } }).summary.violations;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** A rule, and an import that breaks it: the importing file, the specifier, and the imported file. */
type Breach = readonly [rule: string, from: string, specifier: string, to: string];

const BREACHES: readonly Breach[] = [
  ['domain', 'src/domain/post/post.decider.ts', '../../event-store/port.js', 'src/event-store/port.ts'],
  ['platforms-are-islands', 'src/platforms/vk/send.ts', '../telegram/send.js', 'src/platforms/telegram/send.ts'],
  [
    'projections',
    'src/projections/posts/posts.projection.ts',
    '../../commands/post/accept-post.js',
    'src/commands/post/accept-post.ts',
  ],
  [
    'stand-ins-stand-alone',
    'stand-ins/telegram/network.ts',
    '../../src/platforms/telegram/render.js',
    'src/platforms/telegram/render.ts',
  ],
  [
    'api',
    'src/api/public/posts.controller.ts',
    '../../sagas/publish-due-posts/attempt/publication-runner.js',
    'src/sagas/publish-due-posts/attempt/publication-runner.ts',
  ],
  [
    'networks-through-their-descriptors',
    'src/app/modules/shared.module.ts',
    '../../platforms/vk/render.js',
    'src/platforms/vk/render.ts',
  ],
  ['catalogue-lists-descriptors', 'src/platforms/catalogue.ts', './vk/render.js', 'src/platforms/vk/render.ts'],
  [
    'api',
    'src/api/management/channels/channel.dto.ts',
    '../../../platforms/catalogue.js',
    'src/platforms/catalogue.ts',
  ],
  ['stand-ins-are-islands', 'stand-ins/kit/server.ts', '../vk/access.js', 'stand-ins/vk/access.ts'],
  [
    'stand-ins-through-their-descriptors',
    'src/app/networks.ts',
    '../../stand-ins/vk/vk-stand-in.js',
    'stand-ins/vk/vk-stand-in.ts',
  ],
  ['program-without-stand-ins', 'src/sagas/publish.ts', '../../stand-ins/kit/server.js', 'stand-ins/kit/server.ts'],
  ['unlisted-folder', 'src/novelty/anything.ts', '../kernel/ids.js', 'src/kernel/ids.ts'],
  ['runtime', 'src/runtime/batcher.ts', '../domain/post/post.events.js', 'src/domain/post/post.events.ts'],
  ['kernel', 'src/kernel/ids.ts', '../runtime/batcher.js', 'src/runtime/batcher.ts'],
  [
    'public-and-management-apart',
    'src/api/public/info.controller.ts',
    '../management/page.js',
    'src/api/management/page.ts',
  ],
  [
    'library-internals-in-one-file',
    'src/event-store/kurrentdb/clients.ts',
    '@grpc/grpc-js/build/src/subchannel.js',
    'node_modules/@grpc/grpc-js/build/src/subchannel.js',
  ],
  [
    'own-transport-behind-own-connection',
    'src/event-store/kurrentdb/append-call.ts',
    './grpc-call.js',
    'src/event-store/kurrentdb/grpc-call.ts',
  ],
  ['client-stands-alone', 'clients/typescript/src/send.ts', '../../../src/kernel/ids.js', 'src/kernel/ids.ts'],
  [
    'program-without-client',
    'src/app/demo.ts',
    '../../clients/typescript/src/index.js',
    'clients/typescript/src/index.ts',
  ],
  [
    'command-line-uses-the-client',
    'src/cli/output.ts',
    '../../clients/typescript/src/send.js',
    'clients/typescript/src/send.ts',
  ],
];

const ALLOWED: readonly Breach[] = [
  ['', 'src/domain/owner/owner.decider.ts', '../../kernel/clock.js', 'src/kernel/clock.ts'],
  ['', 'src/cli/api.ts', '../../clients/typescript/src/index.js', 'clients/typescript/src/index.ts'],
];

/** Puts all imports in one tree, so that one run of dependency-cruiser checks them. */
const treeOf = (imports: readonly Breach[]): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  const append = (path: string, line: string) => files.set(path, `${files.get(path) ?? ''}${line}\n`);
  imports.forEach(([, from, specifier, to], n) => {
    append(from, `import { x${n} } from '${specifier}';\nexport const y${n} = x${n};`);
    append(to, `export const x${n} = 1;`);
  });
  return files;
};

describe('the import rules', () => {
  let violations: readonly Violation[];
  beforeAll(async () => {
    violations = await findViolations(treeOf([...BREACHES, ...ALLOWED]));
  });

  it.each(BREACHES)('refuse a breach of %s: %s', (rule, from) => {
    expect(violations.filter((violation) => violation.from === from).map(({ rule: { name } }) => name)).toContain(rule);
  });

  it.each(ALLOWED)('let an import be that keeps them%s: %s', (_, from) => {
    expect(violations.filter((violation) => violation.from === from)).toEqual([]);
  });
});
