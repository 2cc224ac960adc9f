import { type ChildProcess, spawn } from 'node:child_process';
import type { RunAs } from './run-as.js';

/**
 * Starts a program and, beside it, a guard that waits for the end of our pipe to it: when this process ends the pipe,
 * or dies, however it dies, the program is interrupted (for PostgreSQL: a fast shutdown). The interrupt is repeated,
 * because a program that has only just begun may not listen yet.
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

/** Nothing of the caller's environment gets through: neither PG… variables nor a locale may change what PostgreSQL does. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Starts one of PostgreSQL's programs in a session of its own, so that a terminal's Ctrl-C, or a signal to our process
 * group, does not end it before we have finished with it. It ends with this process at the latest; end its stdin to
 * interrupt it. The exit status is the program's, 128 + n after signal n.
 */
export const spawnSupervised = (runAs: RunAs, program: string, args: readonly string[]): ChildProcess => {
  const [command = '', ...rest] = [...runAs.prefix, '/bin/sh', '-c', SCRIPT, 'sh', program, ...args];
  const child = spawn(command, rest, {
    ...runAs.options,
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.on('error', () => undefined); // it has ended already
  return child;
};
