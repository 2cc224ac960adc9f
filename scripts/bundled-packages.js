/** The record of what was bundled into `dist/node_modules` (bundle-packages.js), compared with what is installed. */
import { readFile, rm, writeFile } from 'node:fs/promises';

/** Folder of the bundles. */
export const BUNDLES = 'dist/node_modules';
/** Written last: without it the bundles are incomplete. */
const RECORD = `${BUNDLES}/.packages.json`;

/** Records the folders of the packages that are in the bundles, with their versions, and the version of the script. */
export const recordPackages = async (folders, script) => {
  const versions = Object.fromEntries(
    await Promise.all(folders.map(async (folder) => [folder, await versionOf(folder)])),
  );
  await writeFile(RECORD, JSON.stringify({ script, versions }, null, 2));
};

/** Returns the version of the script that made the bundles; null if there are none, or they have other versions than those installed. */
export const findBundles = async () => {
  const { script, versions } = (await readJson(RECORD)) ?? {};
  if (!versions) return null;
  for (const [folder, version] of Object.entries(versions)) if ((await versionOf(folder)) !== version) return null;
  return script;
};

/** Removes the bundles: all packages load from `node_modules`. */
export const removeBundles = () => rm(BUNDLES, { recursive: true, force: true });

const versionOf = async (folder) => (await readJson(`${folder}/package.json`))?.version;

const readJson = async (file) => {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : JSON.parse(text);
};
