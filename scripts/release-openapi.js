/**
 * Writes docs/reference/openapi-released.json, the document that later ones must be compatible with
 * (docs/compatibility.md), as part of every release. With `--print`, writes to stdout instead. Needs the compiled
 * program.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDocument } from './openapi-source.js';

const TARGET = join(import.meta.dirname, '../docs/reference/openapi-released.json');

/** Serializes the upper levels of an object on separate lines, so that a diff shows what has changed. */
const format = (value, levels, indent = '') => {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const inner = `${indent} `;
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${format(each, levels - 1, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
};

const text = `${format(await buildDocument(), 3)}\n`;
if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(TARGET, text);
