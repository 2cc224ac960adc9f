/** Processes of a bench: started with a ready line, measured in CPU time, ended by their pid. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** As npm start has them. */
const NODE_FLAGS = ['--max-semi-space-size=64'];
const TICK_US = 10_000; // USER_HZ is 100 on every Linux

/**
 * Starts a node script and waits for the first line of its output that `ready` makes something of. What it logs is
 * shown, or with `stderr` 'ignore' written to nowhere.
 */
export const startNode = (script, args, env, ready, stderr = 'inherit') =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...NODE_FLAGS, script, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', stderr],
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
    createInterface(child.stdout).on('line', (line) => {
      const value = ready(line);
      if (value !== undefined) resolve({ pid: child.pid, value, stop: () => stop(child) });
    });
  });

const stop = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.removeAllListeners('exit');
    child.on('exit', resolve);
    child.kill('SIGTERM');
  });

const statOf = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [ppid, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((i) => Number(fields[i]));
  return { ppid, own: utime + stime, reaped: cutime + cstime };
};

/** CPU time of one process so far, microseconds. */
export const cpuOf = (pid) => statOf(pid).own * TICK_US;

/** CPU time of a server and all its children, the ended ones included, microseconds. */
export const cpuOfTree = (pid) => {
  let ticks = statOf(pid).own + statOf(pid).reaped;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = statOf(Number(entry));
      if (stat.ppid === pid) ticks += stat.own + stat.reaped;
    } catch {
      // ended between the listing and the look
    }
  }
  return ticks * TICK_US;
};

/** Resident memory of a process, bytes. */
export const memoryOf = (pid) => {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
};
