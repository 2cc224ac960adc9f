import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';

/** A user of the system. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** How PostgreSQL's programs are started: they refuse to run as root. */
export interface RunAs {
  /** Owner of what they work on; null: this process's own user. */
  readonly account: Account | null;
  /** Stands before the program on the command line. */
  readonly prefix: readonly string[];
  /** For child_process. */
  readonly options: { readonly uid?: number; readonly gid?: number };
}

/** This process's user, where that is no root. */
export const OURSELVES: RunAs = { account: null, prefix: [], options: {} };

const USER = 'postgres';

/** The account that root lends to PostgreSQL: the user `postgres`, created where there is none, else `nobody`. */
export const unprivilegedAccount = (): Account => {
  const found = accountOf(USER);
  if (found) return found;
  // Another process may be at it too, or the system may keep its users elsewhere: what counts is what is there then.
  spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', USER], { stdio: 'ignore' });
  const account = accountOf(USER) ?? accountOf('nobody');
  if (account) return account;
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as. Create one, start this program as an ordinary user, or set DATABASE_URL.',
  );
};

const accountOf = (user: string): Account | null => {
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
};

/**
 * How root starts programs as another account, so that they reach both their own files and the data. Where a folder
 * above them is closed to others (/root, say), the account is lent the one right to pass it.
 * @throws Error with a sentence for people where that cannot be.
 */
export const runAs = (account: Account, program: string, folder: string, logger: Logger): RunAs => {
  const plain: RunAs = { account, prefix: [], options: account };
  const outcome = reaches(plain, program, folder);
  if (outcome === 'yes') return plain;
  if (outcome === 'forbidden')
    throw new Error(
      'PostgreSQL refuses to run as root, and this process may not become another user. Start it as an ordinary user, or set DATABASE_URL.',
    );
  const lent = lending(account);
  if (lent && reaches(lent, program, folder) === 'yes') {
    logger.debug({ uid: account.uid }, `PostgreSQL's user is lent the right to pass closed folders above ${folder}`);
    return lent;
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and its user (${account.uid}) cannot reach ${folder} or ${program}: a folder above is closed to others. Set DATA_DIR to (and install this program in) folders that others may enter, start as an ordinary user, or set DATABASE_URL.`,
  );
};

const reaches = ({ prefix, options }: RunAs, program: string, folder: string): 'yes' | 'no' | 'forbidden' => {
  const [command = '', ...args] = [...prefix, '/bin/sh', '-c', 'test -r "$1" && test -x "$1" && cd "$2"', 'sh'];
  const { status, error } = spawnSync(command, [...args, program, folder], { ...options, cwd: '/', stdio: 'ignore' });
  if (error) return 'forbidden';
  return status === 0 ? 'yes' : 'no';
};

/** Bits of Linux's capability sets. */
const CAPABILITIES = [
  ['dac_read_search', 2n],
  ['dac_override', 1n], // more than is needed, but all that a container usually has
] as const;

/** Ambient capabilities survive the change of user and the programs that PostgreSQL starts in turn. Linux only. */
const lending = (account: Account): RunAs | null => {
  const ours = ownCapabilities();
  const capability = CAPABILITIES.find(([, bit]) => (ours >> bit) & 1n)?.[0];
  if (capability === undefined) return null;
  return {
    account,
    prefix: [
      'setpriv',
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      '--securebits=+no_setuid_fixup', // else access(2), by which initdb looks for its programs, ignores them
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
    ],
    options: {},
  };
};

const ownCapabilities = (): bigint => {
  try {
    const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return BigInt(`0x${effective ?? '0'}`);
  } catch {
    return 0n;
  }
};
