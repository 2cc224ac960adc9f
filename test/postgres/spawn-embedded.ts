import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';

/** A child process that runs embedded-process.ts. */
export interface EmbeddedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Returns the next line of its output; null once it has ended. */
  readonly nextLine: () => Promise<{ connectionString?: string; port?: number; stopped?: boolean } | null>;
  readonly stderr: Promise<string>;
  readonly exited: Promise<unknown>;
}

const loader = fileURLToPath(new URL('../support/typescript-loader.js', import.meta.url));
const script = fileURLToPath(new URL('./embedded-process.ts', import.meta.url));

const spawned: ChildProcess[] = [];

/** Kills all spawned processes. For `afterEach`: a failed test must leave no process running. */
export const killSpawned = (): void => {
  for (const child of spawned.splice(0)) child.kill('SIGKILL');
};

/** Starts embedded-process.ts in its own process group, as a terminal would, and waits until it starts PostgreSQL. */
export const spawnEmbedded = async (dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<EmbeddedProcess> => {
  const child = spawn(process.execPath, ['--import', loader, script, dataDir], {
    detached: true,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  spawned.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine: EmbeddedProcess['nextLine'] = async () => {
    const { value, done } = await lines.next();
    return done ? null : (JSON.parse(value) as Awaited<ReturnType<EmbeddedProcess['nextLine']>>);
  };
  const stderr = text(child.stderr);
  const exited = once(child, 'exit');
  await nextLine();
  return { child, pid: child.pid!, nextLine, stderr, exited };
};

/** Creates an empty DATA_DIR that PostgreSQL's user can access. */
export const emptyDataDir = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-test-run-'));
  await chmod(folder, 0o755);
  return folder;
};

/** Returns the pid in postmaster.pid. */
export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);

/** True if a process is running. A zombie is not. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/**
 * Kills a spawned process and processes of its server. Suspends the spawned process first, so that neither it nor its
 * guard can react to the death of another process before its own, however busy the machine is.
 */
export const killTogether = async ({ pid }: EmbeddedProcess, serverPids: readonly number[]): Promise<void> => {
  process.kill(pid, 'SIGSTOP');
  await until('the process is stopped', () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
  for (const each of [...serverPids, pid]) killIfAlive(each);
};

const killIfAlive = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Waits for a condition; fails with its name after two minutes. */
export const until = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + 120_000; !(await condition()); await sleep(20))
    if (Date.now() > end) throw new Error(`not within two minutes: ${what}`);
};

export const query = async (connectionString: string, sql: string): Promise<unknown[]> => {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return ((await client.query(sql)) as { rows: unknown[] }).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};
