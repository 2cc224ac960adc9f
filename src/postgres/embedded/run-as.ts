import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { TOOL_ENVIRONMENT } from '../../config/child-environment.js';
import { EMBEDDED_MESSAGES } from '../messages.js';

/** A system user account. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The user that runs PostgreSQL's programs, which refuse to run as root, and how to start them as that user. */
export interface RunAs {
  /** Owner of the data; null if it is this process's own user. */
  readonly account: Account | null;
  /** Command line to put before the program. */
  readonly prefix: readonly string[];
  /** Options for child_process. */
  readonly options: { readonly uid?: number; readonly gid?: number };
}

/** Runs programs as this process's user, which must not be root. */
export const CURRENT_USER: RunAs = { account: null, prefix: [], options: {} };

const USER = 'postgres';
/** Id of the unprivileged user on most systems. */
const FALLBACK_USER_ID = '65534';

/** Finds an account other than root: `postgres`, created if it is missing, or else the system's unprivileged user. */
export const findUnprivilegedAccount = (): Account => {
  const found = findAccount(USER);
  if (found) return found;
  // Ignores failures: another process may create the user at the same time, or the system may keep its users elsewhere.
  spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', USER], {
    stdio: 'ignore',
    env: TOOL_ENVIRONMENT,
  });
  const account = findAccount(USER) ?? findAccount(FALLBACK_USER_ID);
  if (account) return account;
  throw new Error(EMBEDDED_MESSAGES.noUser({ user: USER, id: FALLBACK_USER_ID }));
};

const findAccount = (user: string): Account | null => {
  const id = (flag: string): number =>
    Number(
      execFileSync('id', [flag, user], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        env: TOOL_ENVIRONMENT,
      }),
    );
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
};

/**
 * Chooses how root starts programs as another account, so that they can read both their own files and the data. If a
 * parent folder is closed to other users (e.g. /root), the programs get the one capability that lets them traverse it.
 * @throws Error with a human-readable message if that is impossible
 */
export const chooseRunAs = (account: Account, program: string, folder: string, logger: Logger): RunAs => {
  const plain: RunAs = { account, prefix: [], options: account };
  const outcome = checkAccess(plain, program, folder);
  if (outcome === 'yes') return plain;
  if (outcome === 'forbidden') throw new Error(EMBEDDED_MESSAGES.cannotSwitchUser);
  const privileged = withCapability(account);
  if (privileged && checkAccess(privileged, program, folder) === 'yes') {
    logger.debug(
      { uid: account.uid },
      `PostgreSQL's user gets the capability to traverse closed folders above ${folder}`,
    );
    return privileged;
  }
  throw new Error(EMBEDDED_MESSAGES.closedFolder({ uid: account.uid, folder, program }));
};

const checkAccess = ({ prefix, options }: RunAs, program: string, folder: string): 'yes' | 'no' | 'forbidden' => {
  const [command = '', ...args] = [...prefix, '/bin/sh', '-c', 'test -r "$1" && test -x "$1" && cd "$2"', 'sh'];
  const { status, error } = spawnSync(command, [...args, program, folder], {
    ...options,
    cwd: '/',
    stdio: 'ignore',
    env: TOOL_ENVIRONMENT,
  });
  if (error) return 'forbidden';
  return status === 0 ? 'yes' : 'no';
};

/** Linux capabilities that allow traversing closed folders, with their bit numbers. */
const CAPABILITIES = [
  ['dac_read_search', 2n],
  ['dac_override', 1n], // more than needed, but the only one that containers usually have
] as const;

/** Runs programs with an ambient capability, which child processes keep. Returns null if this process has none. */
const withCapability = (account: Account): RunAs | null => {
  const own = readOwnCapabilities();
  const capability = CAPABILITIES.find(([, bit]) => (own >> bit) & 1n)?.[0];
  if (capability === undefined) return null;
  return {
    account,
    prefix: [
      'setpriv',
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      '--securebits=+no_setuid_fixup', // otherwise access(2), which initdb uses to find its programs, ignores the capability
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
    ],
    options: {},
  };
};

const readOwnCapabilities = (): bigint => {
  try {
    const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return BigInt(`0x${effective ?? '0'}`);
  } catch {
    return 0n;
  }
};
