/** Starts the processes of a bench, waits until they are ready, and measures them by pid. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Same flags as `npm start`. */
const NODE_FLAGS = ['--min-semi-space-size=4', '--max-semi-space-size=64'];
const TICK_US = 10_000; // USER_HZ is 100 on every Linux

/**
 * Starts a Node script and waits for the first line of its output for which `ready` returns a value. Its log is shown,
 * or discarded if `stderr` is 'ignore'. `flags` are additional Node flags.
 */
export const startNode = (script, args, env, ready, stderr = 'inherit', flags = []) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...NODE_FLAGS, ...flags, script, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', stderr],
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${script} exited with code ${code}`)));
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

/** Returns the CPU time of one process so far, in µs. */
export const readCpuTime = (pid) => statOf(pid).own * TICK_US;

/** Returns the CPU time of a process and all its children so far, including ended ones, in µs. */
export const readCpuTimeOfTree = (pid) => {
  let ticks = statOf(pid).own + statOf(pid).reaped;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = statOf(Number(entry));
      if (stat.ppid === pid) ticks += stat.own + stat.reaped;
    } catch {
      // ended after it was listed
    }
  }
  return ticks * TICK_US;
};

/** Returns the resident memory of a process, in bytes. */
export const readMemory = (pid) => {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
};
