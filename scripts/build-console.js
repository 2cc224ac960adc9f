/** Builds the web console with Vite and compresses its files, which the gateway sends as they are. */
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CONSOLE, digestSources, isConsoleCurrent, SOURCES, stampBuild } from './built-console.js';

const CONFIG = `${SOURCES}/vite.config.js`;
const COMPRESSIBLE = /\.(css|js|json|svg|txt|webmanifest)$/;

/**
 * True if the console must be built because its sources have changed since the last build. Says so if Vite is not
 * installed.
 */
export const needsConsole = () => {
  if (isConsoleCurrent()) return false;
  if (existsSync('node_modules/vite/package.json')) return true;
  console.error('The console is not built, because Vite is not installed. Install it with "npm ci --include=dev".');
  return false;
};

/** Builds the console. @param folder folder of the program's build */
export const buildConsole = async (folder) => {
  const target = join(folder, CONSOLE);
  console.error('Building the console. This takes a few seconds, and is repeated only when its sources change.');
  const sources = digestSources();
  process.env.NODE_ENV = 'production'; // with another value Vite would build React for development
  const { build } = await import('vite');
  const modules = [];
  await build({
    configFile: resolve(CONFIG),
    logLevel: 'warn',
    build: { outDir: resolve(target), emptyOutDir: true, rolldownOptions: { checks: { pluginTimings: false } } },
    plugins: [
      {
        name: 'list-modules',
        buildEnd() {
          modules.push(...this.getModuleIds());
          const external = modules.find((id) => id.includes('browser-external'));
          if (external) this.error(`${this.getModuleInfo(external).importers[0]} needs Node, which browsers lack.`);
        },
      },
    ],
  });
  await compressFiles(target);
  stampBuild(
    target,
    sources,
    modules.filter((module) => existsSync(module)),
  );
};

/** Writes a compressed copy next to each text file, if it is smaller. */
const compressFiles = async (folder) => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => COMPRESSIBLE.test(file));
  await Promise.all(
    files.map(async (file) => {
      const content = await readFile(join(folder, file));
      const compressed = await Promise.all([
        promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
        promisify(gzip)(content, { level: 9 }),
      ]);
      for (const [i, extension] of ['.br', '.gz'].entries())
        if (compressed[i].length < content.length) await writeFile(join(folder, file + extension), compressed[i]);
    }),
  );
};
