import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings of the command line, from its environment. */
export interface CommandLineSettings {
  /** Base address of the gateway. */
  readonly url: string;
  /** Key for the management API. */
  readonly key: string | null;
  /** Token of an endpoint. */
  readonly token: string | null;
  /** Null if posts are not signed. */
  readonly signingSecret: string | null;
  /** True if the user asks for no colours (no-color.org). */
  readonly plain: boolean;
}

/**
 * Reads the settings of the command line. If the environment contains no key, uses the key that a gateway with the same
 * DATA_DIR generated.
 */
export const readCommandLineSettings = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): CommandLineSettings => ({
  url: env.CROSSPOST_URL || 'http://127.0.0.1:3000',
  key:
    env.CROSSPOST_KEY ||
    env.OPERATOR_KEY ||
    readFirstLine(env.OPERATOR_KEY_FILE) ||
    readGeneratedKey(env.DATA_DIR || '.data'),
  token: env.CROSSPOST_TOKEN || null,
  signingSecret: env.CROSSPOST_SIGNING_SECRET || null,
  plain: Boolean(env.NO_COLOR) || env.TERM === 'dumb',
});

const readFirstLine = (file: string | undefined): string | null => {
  try {
    return file ? readFileSync(file, 'utf8').trim() : null;
  } catch {
    return null; // this user may not read the gateway's file
  }
};

const readGeneratedKey = (folder: string): string | null => {
  try {
    const { OPERATOR_KEY } = JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8')) as { OPERATOR_KEY?: unknown };
    return typeof OPERATOR_KEY === 'string' ? OPERATOR_KEY : null;
  } catch {
    return null; // no gateway runs here, or it runs as another user
  }
};
