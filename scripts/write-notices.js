/**
 * Writes what a build contains into a folder, which is the current one by default: `sbom.cdx.json`, an inventory in the
 * form of CycloneDX, and `THIRD-PARTY-NOTICES`, the licences of all packages in it. These are the production
 * dependencies as installed, and what the console's files bundle. Exits with 1 if a package names no licence.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const folder = process.argv[2] ?? '.';

/** Returns the names of the packages that the console's files import. */
const listConsoleImports = () => {
  const files = readdirSync('console/src', { recursive: true }).filter((file) => /(?<!\.spec)\.tsx?$/.test(file));
  const imports = files.flatMap((file) => [
    ...readFileSync(join('console/src', file), 'utf8').matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)/g),
  ]);
  return new Set(imports.map(([, name]) => name));
};

/**
 * Returns npm's inventory of all packages, reduced to those that a build contains. npm's option `--omit dev` would leave
 * out packages that production and development share.
 */
const readInventory = () => {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28, shell: process.platform === 'win32' };
  const all = JSON.parse(execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], options));
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const roots = new Set([...Object.keys(dependencies), ...listConsoleImports()]);
  const nameOf = (ref) => ref.slice(0, ref.lastIndexOf('@'));
  const dependsOn = new Map(all.dependencies.map((one) => [one.ref, one.dependsOn]));
  const own = all.metadata.component['bom-ref'];
  const kept = new Set(dependsOn.get(own).filter((ref) => roots.has(nameOf(ref))));
  for (const ref of kept) for (const next of dependsOn.get(ref) ?? []) kept.add(next);
  const component = { ...all.metadata.component, name: nameOf(own) };
  return {
    ...all,
    metadata: { ...all.metadata, component },
    components: all.components.filter((one) => kept.has(one['bom-ref'])),
    dependencies: all.dependencies
      .filter(({ ref }) => ref === own || kept.has(ref))
      .map(({ ref, dependsOn: on }) => ({ ref, dependsOn: on.filter((one) => kept.has(one)) })),
  };
};

/** Returns the folders of all installed packages, by `name@version`. */
const findFolders = () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const places = Object.entries(packages).filter(([place]) => place !== '' && existsSync(place));
  return new Map(
    places.map(([place, { name, version }]) => [`${name ?? place.split('node_modules/').at(-1)}@${version}`, place]),
  );
};

const LICENCE_FILE = /(^|[.-])(licen[cs]es?|copying|notices?|copyright)([.-]|$)/i;
/** Prebuilt libraries list in their README whose work they contain, and on which terms. */
const LISTS_LICENCES = /^@img\/sharp-libvips-/;

const readTexts = (name, place) =>
  readdirSync(place, { withFileTypes: true })
    .filter(
      (one) => one.isFile() && (LICENCE_FILE.test(one.name) || (LISTS_LICENCES.test(name) && one.name === 'README.md')),
    )
    .map((one) => readFileSync(join(place, one.name), 'utf8').trim());

const licencesOf = ({ licenses = [] }) =>
  licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(', ');

/** Texts that the LGPL asks for; sharp's packages refer to them without having them. Debian's base has them. */
const readCommonLicences = () =>
  ['LGPL-3', 'GPL-3']
    .map((name) => [name, join('/usr/share/common-licenses', name)])
    .filter(([, file]) => existsSync(file))
    .map(([name, file]) => `Text of ${name}\n\n${readFileSync(file, 'utf8').trimEnd()}`);

const inventory = readInventory();
const folders = findFolders();
const external = inventory.components.filter((one) => !one['bom-ref'].startsWith('@crosspost/'));
const unlicensed = external.filter((one) => licencesOf(one) === '').map((one) => one['bom-ref']);
if (unlicensed.length > 0) {
  console.error(`No licence is named by: ${unlicensed.join(', ')}`);
  process.exitCode = 1;
}

const introduction = `Crosspost contains the packages below, under the licences that follow each name. sbom.cdx.json lists them with their hashes.`;
const notices = external.map((one) => {
  const place = folders.get(one['bom-ref']);
  const texts = place ? readTexts(one.name, place) : [];
  return [`${one.name} ${one.version}: ${licencesOf(one)}`, ...texts].join('\n\n');
});
const line = `\n\n${'='.repeat(80)}\n\n`;
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(inventory, null, 2)}\n`);
writeFileSync(
  join(folder, 'THIRD-PARTY-NOTICES'),
  [introduction, ...notices, ...readCommonLicences()].join(line) + '\n',
);
