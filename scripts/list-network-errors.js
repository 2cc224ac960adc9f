/**
 * Writes docs/reference/network-errors.md from the tables of the networks' errors (src/platforms/<name>/errors.ts). With
 * `--print`, writes to stdout instead. Run `npm run messages` after a table has changed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import prettier from 'prettier';

const ROOT = join(import.meta.dirname, '..');
const TARGET = 'docs/reference/network-errors.md';

const INTRODUCTION = `# What the networks answer, and what Crosspost does

Generated from the source by \`npm run messages\`. For each network, the first row that fits an answer counts: one of its codes, and some of
its words, in any case; \`*\` stands for any text. **Code** is \`error.code\` in Crosspost's answers (D-35); \`platform_says\` has the
network's own words. The facts behind the tables are in [networks.md](networks.md#3-failures-and-limits).

| Class | What Crosspost does |
| --- | --- |
| retry | waits and sends again; a wait that the network names or implies is no failed attempt (D-20) |
| credentials, channel | stops the channel until a person has acted: \`needs_attention\` (D-26, D-50) |
| media | leaves the medium out and links to it (D-22); if that is not possible, the post fails |
| upload | uploads the file once more to a new address, then as media |
| refused | this post fails; the next one goes |
| program | this post fails: the request itself is wrong, so look at the settings and the version of the gateway |
| doubt | it is unknown whether readers see the post: looked up, or left to the owner (D-25) |

A table of deletions, edits or pins comes first when a published message is changed: \`refused\` there concerns that message alone. With the
code \`not_there\`, there is nothing to change; with \`not_modified\`, it is done already (ADR-330, ADR-340). Then the network's own table
counts, with two differences: what it refuses has the code \`refused\`, and what is in doubt is sent again.

An answer that fits no row is refused, with the code \`refused\` and the network's words. The metric
\`crosspost_unknown_network_errors_total\` counts such answers by network and code.

If a network's certificate is not trusted, nothing was sent: \`certificate_not_trusted\` stops the channel and names the host and
the setting \`EXTRA_CA_CERTS\`.
`;

/** Bundles the tables and imports them. */
const loadTables = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'network-errors-'));
  try {
    const tables = [
      ['platforms/telegram/errors', 'TELEGRAM_ERRORS', 'Telegram'],
      ['platforms/telegram/change-errors', 'TELEGRAM_CHANGE_ERRORS', 'Telegram: deletions'],
      ['platforms/telegram/change-errors', 'TELEGRAM_EDIT_ERRORS', 'Telegram: edits'],
      ['platforms/telegram/change-errors', 'TELEGRAM_PIN_ERRORS', 'Telegram: pins'],
      ['platforms/vk/errors', 'VK_ERRORS', 'VK'],
      ['platforms/vk/change-errors', 'VK_CHANGE_ERRORS', 'VK: deletions'],
      ['platforms/vk/change-errors', 'VK_EDIT_ERRORS', 'VK: edits'],
      ['platforms/vk/change-errors', 'VK_PIN_ERRORS', 'VK: pins'],
      ['platforms/max/errors', 'MAX_ERRORS', 'MAX'],
      ['platforms/max/errors', 'MAX_CHANGE_ERRORS', 'MAX: deletions'],
      ['platforms/max/errors', 'MAX_EDIT_ERRORS', 'MAX: edits'],
      ['platforms/max/errors', 'MAX_PIN_ERRORS', 'MAX: pins'],
      ['platforms/ok/errors', 'OK_ERRORS', 'OK'],
      ['platforms/ok/errors', 'OK_CHANGE_ERRORS', 'OK: deletions'],
      ['processing/translation/errors', 'TRANSLATION_ERRORS', 'LibreTranslate'],
    ];
    const contents = tables.map(([path, name]) => `export { ${name} } from './src/${path}.ts';`).join('\n');
    const options = { bundle: true, format: 'esm', platform: 'node', write: false, logLevel: 'error' };
    const { outputFiles } = await build({ stdin: { contents, resolveDir: ROOT, loader: 'ts' }, ...options });
    const file = join(folder, 'tables.mjs');
    writeFileSync(file, outputFiles[0].text);
    const loaded = await import(pathToFileURL(file).href);
    return tables.map(([, name, title]) => ({ title, rows: loaded[name] }));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const span = (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

const answerOf = ({ codes = [], subcode, words = [] }) =>
  [
    codes.map((code) => span(String(code))).join(', '),
    subcode === undefined ? '' : `with \`error_subcode\` ${subcode}`,
    words.map(span).join(', '),
  ]
    .filter(Boolean)
    .join(': ')
    .replaceAll('|', '\\|');

const sections = (await loadTables()).map(({ title, rows }) => {
  const lines = rows.map((row) => `| ${answerOf(row)} | ${row.class} | \`${row.code}\` | ${row.advice.en} |`);
  return `## ${title}\n\n| Answer | Class | Code | Meaning, advice |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`;
});

const options = await prettier.resolveConfig(join(ROOT, TARGET));
const text = await prettier.format([INTRODUCTION, ...sections].join('\n'), { ...options, parser: 'markdown' });
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(join(ROOT, TARGET), text);
