/**
 * The record of the packages bundled into `dist/node_modules` (bundle-packages.js), to compare with those that are
 * installed.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** Folder of the bundles in a build. */
export const BUNDLES = 'node_modules';
/** Written last: without it the bundles are incomplete. */
const RECORD = `${BUNDLES}/.packages.json`;
/** Decides which packages are bundled, and how. */
const SCRIPT = new URL('bundle-packages.js', import.meta.url);

/**
 * Records the packages that are in the bundles of a build, with their versions, and the version of the script.
 * @param build folder of the build @param folders folders of the packages
 */
export const recordPackages = async (build, folders) => {
  const versions = Object.fromEntries(
    await Promise.all(folders.map(async (folder) => [folder, await versionOf(folder)])),
  );
  await writeFile(`${build}/${RECORD}`, JSON.stringify({ script: await digestScript(), versions }, null, 2));
};

/**
 * Returns the version of the script that made the bundles; null if there are none, or if other versions are
 * installed now.
 */
export const findBundles = async () => {
  const { script, versions } = (await readJson(`dist/${RECORD}`)) ?? {};
  if (!versions) return null;
  for (const [folder, version] of Object.entries(versions)) if ((await versionOf(folder)) !== version) return null;
  return script;
};

/** True if the bundles in `dist` are the same as a new build would make. */
export const areBundlesCurrent = async () => (await findBundles()) === (await digestScript());

const digestScript = async () =>
  createHash('sha256')
    .update(await readFile(SCRIPT))
    .digest('hex');

const versionOf = async (folder) => (await readJson(`${folder}/package.json`))?.version;

const readJson = async (file) => {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : JSON.parse(text);
};
