/**
 * Bundles packages whose many modules are loaded at every start. The bundles go into the `node_modules` of a build,
 * where Node finds them first (ADR-202). Node's loader takes about 1 ms of CPU per module, so the bundles halve the
 * loading time. Packages that are not listed here are loaded from `node_modules`.
 */
import { writeFile } from 'node:fs/promises';
import { build as bundle } from 'esbuild';
import { BUNDLES, recordPackages } from './bundled-packages.js';

const PACKAGES = [
  '@modelcontextprotocol/server',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/cqrs',
  '@nestjs/platform-fastify',
  'class-validator',
  'fastify',
  'grammy',
  'prom-client',
  'undici',
];

/** Packages that must exist only once: the program uses them too, and they have their own state or files. */
const SHARED = ['pino', 'reflect-metadata'];

/** Bundles the packages. @param build folder of the program's build */
export const bundlePackages = async (build) => {
  const outdir = `${build}/${BUNDLES}`;
  const { metafile } = await bundle({
    entryPoints: PACKAGES.map((name) => ({ in: `${ENTRY}${name}`, out: `${name}/index` })),
    outdir,
    chunkNames: '.chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    keepNames: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['node'],
    // CommonJS modules call `require` for Node's modules, and for packages that may not be installed.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    plugins: [entries, unbundled],
  });
  for (const folder of [...PACKAGES, '.chunks'])
    await writeFile(`${outdir}/${folder}/package.json`, '{"type":"module","exports":"./index.js"}');
  await recordPackages(build, foldersOf(Object.keys(metafile.inputs)));
};

/** Folders of the packages that these modules belong to. */
const foldersOf = (modules) => [
  ...new Set(modules.flatMap((module) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0] ?? [])),
];

const ENTRY = 'entry:';

/**
 * Gives each package an entry that exports every name that Node sees, because esbuild only knows those of ES modules.
 */
const entries = {
  name: 'entries',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^${ENTRY}`) }, ({ path }) => ({
      path: path.slice(ENTRY.length),
      namespace: ENTRY,
    }));
    onLoad({ filter: /./, namespace: ENTRY }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'module.exports');
      return { contents: `export { ${names.join(', ')} } from '${path}';`, resolveDir: '.' };
    });
  },
};

/** Leaves out the shared packages, and packages that are not installed because the program does not need them. */
const unbundled = {
  name: 'unbundled',
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...importing }) => {
      if (pluginData === unbundled) return undefined;
      const isShared = SHARED.some((name) => path === name || path.startsWith(`${name}/`));
      if (isShared) return { path, external: true };
      const found = await resolve(path, { ...importing, pluginData: unbundled });
      return found.errors.length === 0 ? undefined : { path, external: true };
    });
  },
};
