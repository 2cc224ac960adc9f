/**
 * Bundles the program's own modules, so that it starts faster (ADR-223): Node's loader takes most of a millisecond of
 * CPU for each module, and a start loads some 800. The compiled modules stay where they are, for scripts and benchmarks that
 * load some of them, and each module in the bundle still finds files next to its compiled file. Packages load as they
 * do without the bundle (ADR-202).
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, posix, relative, resolve, sep } from 'node:path';
import { build as bundle } from 'esbuild';

/** Folder of the bundle in a build, without subfolders. */
const BUNDLE = 'bundle';

/** Folder in a build in which Node keeps compiled code for the next start, if the process may write there. */
const CACHE = 'compile-cache';

/** Modules that processes start with. */
const isEntry = (file) => /^(cli\/|\.\.\/stand-ins\/[^/]+\/)?main\.js$/.test(file);

/** Returns the path of an entry in a build, in which the stand-ins' entries lie too. */
const placeOf = (entry) => entry.replace(/^\.\.\//, '');

/**
 * Bundles the program, and makes its entries load the bundle.
 * @param build folder of the build, with the compiled modules @param modules their paths in it
 */
export const bundleProgram = async (build, modules) => {
  const entries = modules.map((module) => module.split(sep).join('/')).filter(isEntry);
  const nameOf = (entry) => placeOf(entry).slice(0, -'.js'.length).replaceAll('/', '-');
  await bundle({
    entryPoints: entries.map((entry) => ({ in: resolve(build, entry), out: nameOf(entry) })),
    outdir: join(build, BUNDLE),
    bundle: true,
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    plugins: [keepIdentity(resolve(build))],
  });
  for (const entry of entries) {
    const place = placeOf(entry);
    const relativeTo = (file) => posix.relative(posix.dirname(place), file).replace(/^(?!\.)/, './');
    await mkdir(join(build, posix.dirname(place)), { recursive: true });
    await writeFile(join(build, place), entryOf(relativeTo(`${BUNDLE}/${nameOf(entry)}.js`), relativeTo(CACHE)));
  }
};

/** Returns the source of an entry file that lets Node cache compiled code. Node 20 cannot do that. */
const entryOf = (bundle, cache) => `import module from 'node:module';
import { fileURLToPath } from 'node:url';
module.enableCompileCache?.(fileURLToPath(new URL('${cache}', import.meta.url)));
await import('${bundle}');
`;

/**
 * Makes modules keep what bundling would change: their URL, which leads to the files next to them, and the names of
 * their classes, which logs and descriptions show. The additions leave all lines where they were.
 */
const keepIdentity = (build) => ({
  name: 'keep-identity',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const url = JSON.stringify(`../${relative(build, path).split(sep).join('/')}`);
      const names = [...code.matchAll(/^(?:export )?(?:default )?class (\w+)/gm)].map(([, name]) => name);
      const named = names.map((name) => `Object.defineProperty(${name}, 'name', { value: '${name}' });`);
      return {
        contents: `${code.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`)}${named.join('')}`,
      };
    }),
});
