import { readFileSync } from 'node:fs';
import { SETTING_MESSAGES } from './messages.js';

/** A setting's value before it is parsed. */
export interface GivenValue {
  /** Undefined if it is not set. */
  readonly text: string | undefined;
  /** Name for messages; includes the file if the value comes from a file. */
  readonly name: string;
}

/**
 * Returns the value of a setting that may be in a file: from the variable of that name, or from the file at the path in
 * `<name>_FILE`, without surrounding whitespace. An empty variable counts as not set.
 * @throws Error with a sentence that names the setting and the path if both are set, or the file cannot be read or is
 * empty
 */
export const readGivenValue = (env: NodeJS.ProcessEnv, name: string, mayBeFile: boolean): GivenValue => {
  const text = env[name]?.trim();
  const path = mayBeFile ? env[`${name}_FILE`]?.trim() : undefined;
  if (!path) return { text: text === '' ? undefined : text, name };
  if (text) throw new Error(SETTING_MESSAGES.bothGiven({ name }));
  const content = readSecretFile(name, path).trim();
  if (content === '') throw new Error(SETTING_MESSAGES.emptyFile({ name, path }));
  return { text: content, name: SETTING_MESSAGES.fromFile({ name, path }) };
};

const readSecretFile = (name: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(SETTING_MESSAGES.unreadableFile({ name, path, code }), { cause: error });
  }
};
