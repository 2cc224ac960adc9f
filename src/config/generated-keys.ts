import { createHmac, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { key32 } from './setting.js';
import type { Settings } from './settings.js';

/** The two keys that a process cannot do without. */
export interface Keys {
  readonly operatorKey: string;
  /** 32 bytes. */
  readonly secretsKey: Buffer;
  /** True where the operator did not choose the key, so that the start should show it. */
  readonly operatorKeyGenerated: boolean;
}

/** keys.json, by the settings' names. */
interface KeysFile {
  readonly OPERATOR_KEY?: string;
  readonly SECRETS_KEY?: string;
}

/**
 * The keys that were set, and generated ones for those that were not. Generated keys are made once and kept in
 * DATA_DIR/keys.json, mode 0600 (management-api.md: OPERATOR_KEY, SECRETS_KEY); nothing is written where both are set.
 * Processes that share a SECRETS_KEY, as those of one database do, generate the same OPERATOR_KEY, each in its DATA_DIR.
 * @throws Error with a sentence for people when the file cannot be read, written or understood. A damaged file is
 * never replaced: what SECRETS_KEY has encrypted would be lost with it.
 */
export const completeKeys = async (
  settings: Pick<Settings, 'dataDir' | 'brand' | 'operatorKey' | 'secretsKey'>,
): Promise<Keys> => {
  const { dataDir, operatorKey, secretsKey } = settings;
  const operatorKeyGenerated = operatorKey === null;
  if (operatorKey !== null && secretsKey !== null) return { operatorKey, secretsKey, operatorKeyGenerated };

  const wanted: KeysFile = {
    ...(operatorKey === null && {
      OPERATOR_KEY: `${settings.brand}_operator_${operatorSecret(secretsKey).toString('base64url')}`,
    }),
    ...(secretsKey === null && { SECRETS_KEY: randomBytes(32).toString('base64') }),
  };
  const kept = await keep(dataDir, wanted);
  return {
    operatorKey: operatorKey ?? kept.OPERATOR_KEY!,
    secretsKey: secretsKey ?? key32(kept.SECRETS_KEY!),
    operatorKeyGenerated,
  };
};

/** 32 bytes: random, or what follows from the key that all processes of a deployment have, and does not give it away. */
const operatorSecret = (secretsKey: Buffer | null): Buffer =>
  secretsKey === null ? randomBytes(32) : createHmac('sha256', secretsKey).update('OPERATOR_KEY').digest();

/** What the file says, with what it lacked of `wanted` added to it. */
const keep = async (dataDir: string, wanted: KeysFile): Promise<KeysFile> => {
  const file = join(dataDir, 'keys.json');
  try {
    // Others may have to pass through DATA_DIR (a server that runs as another user); the keys guard themselves.
    await mkdir(dataDir, { recursive: true, mode: 0o755 });
    let found = await read(file);
    if (found === null) {
      // A link never replaces: of several processes that start at once one wins, and all go by its file.
      await write(file, wanted, 'create');
      found = await read(file);
    } else if (Object.keys(wanted).some((name) => !(name in found!))) {
      found = { ...wanted, ...found };
      await write(file, found, 'replace');
    }
    return { ...wanted, ...found };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    throw new Error(
      `The generated keys cannot be kept in ${file} (${code}): make DATA_DIR a folder that this user may read and write, or set OPERATOR_KEY and SECRETS_KEY.`,
      { cause: error },
    );
  }
};

const read = async (file: string): Promise<KeysFile | null> => {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  await chmod(file, 0o600);
  const keys = parse(text);
  if (keys) return keys;
  throw new Error(
    `${file} is damaged: it should hold OPERATOR_KEY and SECRETS_KEY as JSON. Restore it from a backup; if there is none, set both keys (stored credentials then have to be entered anew) and remove the file.`,
  );
};

const parse = (text: string): KeysFile | null => {
  try {
    const { OPERATOR_KEY, SECRETS_KEY } = JSON.parse(text) as KeysFile;
    if (OPERATOR_KEY !== undefined && (typeof OPERATOR_KEY !== 'string' || OPERATOR_KEY === '')) return null;
    if (SECRETS_KEY !== undefined) key32(SECRETS_KEY);
    return { ...(OPERATOR_KEY !== undefined && { OPERATOR_KEY }), ...(SECRETS_KEY !== undefined && { SECRETS_KEY }) };
  } catch {
    return null;
  }
};

/** All or nothing, also through a power cut: flushed under another name first, then given its own. */
const write = async (file: string, keys: KeysFile, how: 'create' | 'replace'): Promise<void> => {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (how === 'replace') await rename(temporary, file);
    else await link(temporary, file).catch(unlessThere);
    const folder = await open(join(file, '..'), 'r');
    await folder.sync().finally(() => folder.close());
  } finally {
    await rm(temporary, { force: true });
  }
};

const unlessThere = (error: unknown): void => {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
};
