import { type ChildProcess, spawn } from 'node:child_process';
import { CHILD_ENVIRONMENT } from '../../config/child-environment.js';
import type { RunAs } from './run-as.js';

/**
 * Starts a program and a guard process, which waits until its pipe from this process closes. When this process closes
 * the pipe or dies in any way, the guard interrupts the program (for PostgreSQL: a fast shutdown). It repeats the
 * interrupt, because a program that has just started may not handle it yet.
 */
const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ cat <&3; while kill -INT $program; do sleep 1; done; } >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait $program
status=$?
kill $guard 2>/dev/null
exit $status
`;

/**
 * Starts one of PostgreSQL's programs in its own session, so that a terminal's Ctrl-C, or a signal to this process
 * group, does not stop it too early. It is interrupted when its stdin closes or this process exits. The exit status is
 * the program's, or 128 + n after signal n.
 */
export const spawnSupervised = (runAs: RunAs, program: string, args: readonly string[]): ChildProcess => {
  const [command = '', ...rest] = [...runAs.prefix, '/bin/sh', '-c', SCRIPT, 'sh', program, ...args];
  const child = spawn(command, rest, {
    ...runAs.options,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.on('error', () => undefined); // the program has already exited
  return child;
};
