import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORMS } from '../../src/platforms/catalogue.js';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Places that may name a network: its own folders, the catalogues that list them, and the translations of their sentences.
 * Specs may name any.
 */
const NAMES = PLATFORMS.ids.join('|');
const OWN = new RegExp(
  `^(?:src/platforms|stand-ins)/(?:(?:${NAMES})/|catalogue\\.ts$)|^src/language/russian/networks\\.ts$|\\.spec\\.ts$`,
);

/** Titles, settings and quoted identifiers. `max` and `ok` are ordinary words of code, so only their titles count. */
const titles = PLATFORMS.all.map(({ title }) => title).join('|');
const settings = PLATFORMS.all.map(({ baseUrl }) => baseUrl.setting).join('|');
const MENTION = new RegExp(`\\b(?:${titles}|${settings}|Odnoklassniki)\\b|['"\`](?:telegram|vk)['"\`]`);

it('generic code does not name a network', () => {
  const files = ['src', 'stand-ins'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${folder}/${path}`),
  );
  const mentions = files
    .filter((path) => !OWN.test(path))
    .flatMap((path) => {
      const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
      return lines.flatMap((line, index) => (MENTION.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
    });
  expect(mentions).toEqual([]);
});
