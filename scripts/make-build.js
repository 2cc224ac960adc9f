/**
 * Makes a build. Compiles `src/` without its tests, the stand-ins and the typed client, with SWC; bundles them, with
 * source maps; and adds JSON files, the bundled packages and the console, which are copied from the previous build if
 * they have not changed. Stand-ins and client keep their places relative to the program. SWC takes two seconds, where
 * tsc may take half a minute; `npm run check` checks the types.
 */
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import { buildConsole, needsConsole } from './build-console.js';
import { createBuild, CURRENT, digestProgram, listSources } from './builds.js';
import { CONSOLE } from './built-console.js';
import { bundlePackages } from './bundle-packages.js';
import { bundleProgram } from './bundle-program.js';
import { areBundlesCurrent, BUNDLES } from './bundled-packages.js';
import { swcOptions } from './swc-options.js';

export const makeBuild = () => createBuild(fill, digestProgram());

const fill = async (folder) => {
  const copies = listSources().map((source) => [source, join(folder, relative('src', source))]);
  for (const target of new Set(copies.map(([, target]) => dirname(target)))) await mkdir(target, { recursive: true });
  await finishAll([
    (await areBundlesCurrent()) ? copyFromCurrent(BUNDLES, folder) : bundlePackages(folder),
    needsConsole() ? buildConsole(folder) : copyFromCurrent(CONSOLE, folder),
    compileProgram(copies, folder),
  ]);
};

/**
 * Waits for all parts, even if one fails: the folder of a failed build is removed, and nothing may write to it then.
 * @returns the results of all parts @throws the first error
 */
const finishAll = async (parts) => {
  const results = await Promise.allSettled(parts);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  return results.map(({ value }) => value);
};

/** Compiles the sources and bundles them. @param copies sources, each with its location in the build */
const compileProgram = async (copies, folder) => {
  const modules = await finishAll(
    copies.map(([source, target]) => {
      if (source.endsWith('.ts')) return compile(source, target.replace(/ts$/, 'js'));
      return source.endsWith('.json') ? copyFile(source, target) : null;
    }),
  );
  await bundleProgram(
    folder,
    modules.filter(Boolean).map((module) => relative(folder, module)),
  );
};

const compile = async (source, target) => {
  const sourceFileName = relative(dirname(target), source);
  const { code, map } = await transformFile(source, { ...swcOptions, swcrc: false, sourceMaps: true, sourceFileName });
  await writeFile(`${target}.map`, map);
  await writeFile(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
  return target;
};

const copyFromCurrent = async (part, folder) => {
  const former = join(CURRENT, part);
  if (existsSync(former)) await cp(former, join(folder, part), { recursive: true });
};
