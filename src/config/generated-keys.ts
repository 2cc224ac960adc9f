import { createHmac, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KEYS_MESSAGES } from './messages.js';
import { parseKey32 } from './setting.js';
import type { Settings } from './settings.js';

/** The two keys that every process needs. */
export interface Keys {
  readonly operatorKey: string;
  /** 32 bytes. */
  readonly secretsKey: Buffer;
  /**
   * `now` if this start generated the operator key, which is then shown; `before` if an earlier start did; null if the
   * key is a setting.
   */
  readonly operatorKeyGenerated: 'now' | 'before' | null;
}

/** The contents of keys.json, by the settings' names. */
interface KeysFile {
  readonly OPERATOR_KEY?: string;
  readonly SECRETS_KEY?: string;
}

/**
 * Returns the keys that are set, and generates the others. Keys are generated once and stored in DATA_DIR/keys.json,
 * mode 0600 (management-api.md: OPERATOR_KEY, SECRETS_KEY); if both are set, nothing is written. Processes with the
 * same SECRETS_KEY, such as those of one database, each generate the same OPERATOR_KEY in their DATA_DIR.
 * @throws Error with a human-readable message if the file cannot be read, written or parsed. A damaged file is never
 * replaced: the data that its SECRETS_KEY encrypts would be lost.
 */
export const completeKeys = async (
  settings: Pick<Settings, 'dataDir' | 'brand' | 'operatorKey' | 'secretsKey'>,
): Promise<Keys> => {
  const { dataDir, operatorKey, secretsKey } = settings;
  if (operatorKey !== null && secretsKey !== null) return { operatorKey, secretsKey, operatorKeyGenerated: null };

  const missing: KeysFile = {
    ...(operatorKey === null && {
      OPERATOR_KEY: `${settings.brand}_operator_${createOperatorSecret(secretsKey).toString('base64url')}`,
    }),
    ...(secretsKey === null && { SECRETS_KEY: randomBytes(32).toString('base64') }),
  };
  const { keys: stored, isOperatorKeyNew } = await storeKeys(dataDir, missing);
  return {
    operatorKey: operatorKey ?? stored.OPERATOR_KEY!,
    secretsKey: secretsKey ?? parseKey32(stored.SECRETS_KEY!),
    operatorKeyGenerated: operatorKey !== null ? null : isOperatorKeyNew ? 'now' : 'before',
  };
};

/** Returns 32 bytes: random, or derived one-way from the SECRETS_KEY that all processes of a deployment share. */
const createOperatorSecret = (secretsKey: Buffer | null): Buffer =>
  secretsKey === null ? randomBytes(32) : createHmac('sha256', secretsKey).update('OPERATOR_KEY').digest();

/** Returns the path of the file with the generated keys. */
export const keysFile = (dataDir: string): string => join(dataDir, 'keys.json');

/** Adds the generated keys that the file lacks. Returns its contents, and whether the operator key is new. */
const storeKeys = async (
  dataDir: string,
  generated: KeysFile,
): Promise<{ readonly keys: KeysFile; readonly isOperatorKeyNew: boolean }> => {
  const file = keysFile(dataDir);
  try {
    // A database server that runs as another user may need to traverse DATA_DIR. The mode of the file protects the keys.
    await mkdir(dataDir, { recursive: true, mode: 0o755 });
    let found = await readKeysFile(file);
    let isOperatorKeyNew = false;
    if (found === null) {
      // A link never replaces a file: if several processes start at once, all use the file of the first.
      isOperatorKeyNew = await writeKeysFile(file, generated, 'create');
      found = await readKeysFile(file);
    } else if (Object.keys(generated).some((name) => !(name in found!))) {
      isOperatorKeyNew = found.OPERATOR_KEY === undefined;
      found = { ...generated, ...found };
      await writeKeysFile(file, found, 'replace');
    }
    return { keys: { ...generated, ...found }, isOperatorKeyNew };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new Error(KEYS_MESSAGES.notStored({ file, code }), { cause: error });
  }
};

const readKeysFile = async (file: string): Promise<KeysFile | null> => {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  await chmod(file, 0o600);
  const keys = parseKeys(text);
  if (keys) return keys;
  throw new Error(KEYS_MESSAGES.damaged({ file }));
};

const parseKeys = (text: string): KeysFile | null => {
  try {
    const { OPERATOR_KEY, SECRETS_KEY } = JSON.parse(text) as KeysFile;
    if (OPERATOR_KEY !== undefined && (typeof OPERATOR_KEY !== 'string' || OPERATOR_KEY === '')) return null;
    if (SECRETS_KEY !== undefined) parseKey32(SECRETS_KEY);
    return { ...(OPERATOR_KEY !== undefined && { OPERATOR_KEY }), ...(SECRETS_KEY !== undefined && { SECRETS_KEY }) };
  } catch {
    return null;
  }
};

/**
 * Writes the file atomically, even through a power failure: flushes it under a temporary name, then renames it.
 * @returns false if another process has created it
 */
const writeKeysFile = async (file: string, keys: KeysFile, how: 'create' | 'replace'): Promise<boolean> => {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const isWritten = how === 'create' ? await createLink(temporary, file) : true;
    if (how === 'replace') await rename(temporary, file);
    const folder = await open(join(file, '..'), 'r');
    await folder.sync().finally(() => folder.close());
    return isWritten;
  } finally {
    await rm(temporary, { force: true });
  }
};

/** @returns false if the name is taken */
const createLink = async (existing: string, name: string): Promise<boolean> => {
  try {
    await link(existing, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
};
