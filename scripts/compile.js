/**
 * Compiles the program with SWC: `src/` without its tests to `dist/`, with source maps, and copies its JSON files. That takes
 * two seconds, where tsc takes half a minute on a machine that has not compiled before; `npm run check` checks the types.
 * Bundles the packages that were installed since the last time, and builds the console if its sources changed.
 */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import { buildConsole } from './build-console.js';
import { bundlePackages } from './bundle-packages.js';
import { swcOptions } from './swc-options.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** Is there if and only if `dist/` is complete. Its age is compared with the sources before a start without a compiler. */
const COMPLETE = 'dist/.complete';

const compile = async (source, target) => {
  const sourceFileName = relative(dirname(target), source);
  const { code, map } = await transformFile(source, { ...swcOptions, swcrc: false, sourceMaps: true, sourceFileName });
  await writeFile(`${target}.map`, map);
  await writeFile(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
};

await rm(COMPLETE, { force: true });
const files = (await readdir('src', { recursive: true })).filter((file) => !/\.(spec|properties)\.ts$/.test(file));
for (const folder of new Set(files.map(dirname))) await mkdir(join('dist', folder), { recursive: true });
const others = Promise.all([bundlePackages(), buildConsole()]);
await Promise.all(
  files.map((file) => {
    if (file.endsWith('.ts')) return compile(join('src', file), join('dist', file.replace(/ts$/, 'js')));
    return file.endsWith('.json') ? copyFile(join('src', file), join('dist', file)) : null;
  }),
);
await others;
await writeFile(COMPLETE, '');
