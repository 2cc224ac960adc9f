/**
 * Reports words with a plainer alternative in all text that ESLint does not read: Markdown, YAML, JSON, shell and Docker
 * files. Exits 1 if there are any.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { bannedWords } from '../eslint-rules/plain-words.js';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|yml|json|html|sh)$|Dockerfile$|^\.ci\//.test(file) && existsSync(file))
  .filter((file) => !/package-lock\.json$|\/golden\//.test(file));

const found = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  return bannedWords(text).map(({ word, index }) => `${file}:${text.slice(0, index).split('\n').length}: "${word}"`);
});
for (const line of found) console.log(line);
process.exit(found.length > 0 ? 1 : 0);
