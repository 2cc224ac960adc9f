import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'clients/typescript');

/** The folder of the compiled client. */
export const CLIENT_DIST = join(PACKAGE, 'dist');

/** Compiles the client, as `npm run build` does. Quick if it is already compiled. */
export const buildClient = async (): Promise<void> => {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', PACKAGE]);
};

/** Returns the code of a section of the client's README. */
export const readExample = async (section: string): Promise<string> => {
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const [, text = ''] = readme.split(`\n## ${section}\n`);
  const [, code] = /^```js\n(.*?)^```$/ms.exec(text.split('\n## ')[0]!) ?? [];
  if (code === undefined) throw new Error(`the README has no code in "${section}"`);
  return code;
};
